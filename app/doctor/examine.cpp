#include "examine.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include "advice.hpp"
#include "examiner.hpp"
#include "output.hpp"
#include "output_path.hpp"
#include "report_file.hpp"
#include "suspects.hpp"
#include "tty.hpp"

namespace jacobi::doctor {
namespace {

/// Rank 0: prints and writes what is known.
void publish(Examination e, const DoctorOptions& options) {
    if (!full_function(advise(e))) look_at_processes(e, 0);
    const std::vector<Finding> findings = advise(e);
    std::fputs(report_text(e, findings, wants_color(options.no_color)).c_str(), stdout);
    std::fflush(stdout);
    if (!options.json.empty()) replace_file(options.json, report_json(e, findings));
}

}  // namespace

int examine(const DoctorOptions& options, int thread_level) {
    Examiner examiner(options.limit_s, thread_level, [options](const Examination& e) { publish(e, options); });
    const bool root = examiner.rank() == 0;
    examiner.gather_all_facts(root && !options.json.empty() ? check_output_path(options.json, true, 0) : "");
    const std::string& fault = examiner.examination().ranks[0].json;
    if (!fault.empty()) throw Error(fault, Exit::usage, true);
    examiner.find_nodes();
    examiner.examine_host();
    examiner.examine_devices();
    examiner.finish();
    if (root) publish(examiner.examination(), options);
    if (!examiner.complete()) {
        // Rank 0 ends the job. The others must not be inside MPI_Finalize then: Open MPI 4.1's mpirun crashes or hangs.
        if (!root) std::this_thread::sleep_for(std::chrono::duration<double>(options.limit_s + 10));
        throw Error("ranks are lost, so the job ends here; the report above is complete otherwise");
    }
    return full_function(advise(examiner.examination())) ? 0 : 1;
}

}  // namespace jacobi::doctor
