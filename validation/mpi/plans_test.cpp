// Plans of several ranks: one that does not fit a rank's block ends all ranks' set-up alike, and a record tells of all of them.
#include "../stress/dawdling.hpp"
#include "checks.hpp"
#include "halo_exchange.hpp"
#include "setting.hpp"

using namespace jacobi;

namespace {

/// The host back end, with a plan.
class Planned final : public test::Dawdling {
 public:
    Planned(Backend& real, PlanOrigin origin) : Dawdling(real, 1), origin_(std::move(origin)) {}
    PlanOrigin plan_origin() const override { return origin_; }

 private:
    PlanOrigin origin_;
};

void run_exchange(const Topology& topology, Backend& backend, const std::string& transport, const std::string& rung) {
    Problem problem;
    problem.grid.cells = {6, 5, 4 * Index{topology.size()}};
    const Decomposition d = decompose(problem.grid.cells, problem.grid.periodic, topology.size(), {1, 1, topology.size()});
    ExchangeOptions options;
    options.transport = transport;
    options.sync = rung;
    HaloExchange exchange(topology, d, backend, problem, Precision::float64, options);
    exchange.prepare();
    exchange.advance(3);
    exchange.close();
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    {
        test::Checks checks;
        const Topology topology = discover_topology(MPI_COMM_WORLD);
        const auto real = make_host_backend(Precision::float64, 1);
        const bool last = checks.rank() == checks.size() - 1;
        for (const auto& way : {std::pair{"shm", "flag"}, {"shm", "event"}, {"mpi", "event"}}) {
            const std::string where = std::string(way.first) + ", " + way.second;
            Planned refusing(*real, {"measured", "", "", last ? "my plan does not fit" : "", 0});
            checks.expect_error(where, Exit::failure, {"my plan does not fit"},
                                [&] { run_exchange(topology, refusing, way.first, way.second); });
            Planned fitting(*real, {"given", "my plan", "", "", 0});
            checks.run(where + ", afterwards", [&] { run_exchange(topology, fitting, way.first, way.second); });
        }
        const bool root = checks.rank() == 0;
        const Planned mixed(*real, {root ? "cached" : "measured", root ? "mine" : "other", "", "", last ? 0.5 : 0.25});
        RunRecord record;
        record_plan(topology, mixed, record);
        checks.expect(record.plan.source == (root ? "cached" : "measured") && record.plan.file == (root ? "mine" : "other"),
                      "the record has another rank's plan");
        checks.expect(record.plan.seconds == 0.5, "the seconds are not those of the slowest");
        const auto others = static_cast<std::size_t>(checks.size() - 1);
        checks.expect(record.plan_sources == std::map<std::string, std::size_t>{{"cached", 1}, {"measured", others}},
                      "ranks are not counted by the source of their plan");
        record_plan(topology, *real, record);
        checks.expect(record.plan_sources.empty() && record.plan.reason.find("nothing to choose") != std::string::npos,
                      "the host back end has a plan");
        status = checks.finish("plans_test");
    }
    MPI_Finalize();
    return status;
}
