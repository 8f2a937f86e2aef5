#include "suspects.hpp"

#include "processes.hpp"

namespace jacobi::doctor {

void look_at_processes(Examination& e, int self) {
    const RankFacts own = e.ranks[self];
    for (RankFacts& r : e.ranks) {
        if (r.pid > 0 && r.boot_id == own.boot_id && r.pid_namespace == own.pid_namespace) r.state = state_of_process(r.pid);
    }
}

}  // namespace jacobi::doctor
