// The CUDA back end: what the choice of a pass' shape depends on.
#include "backend_state.cuh"
#include "devices.hpp"

namespace jacobi::cuda {

namespace {

/// Raise it when kernels, candidates or what is measured change, so that plans from before are not taken any more.
constexpr int planner = 4;

/// "13.0"
std::string version_text(int version) { return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10); }

}  // namespace

template <class T>
PlanKey CudaBackend<T>::plan_key() const {
    const Index3& n = setup_.layout.extent;
    const std::string cells = std::to_string(n[0]) + 'x' + std::to_string(n[1]) + 'x' + std::to_string(n[2]);
    const std::string precision = sizeof(T) == 8 ? "double" : "float", sweeps = std::to_string(setup_.temporal_depth);
    int driver = 0;
    JACOBI_CUDA(cudaDriverGetVersion(&driver));
    PlanKey key;
    key.title = device_name() + ' ' + cells + ' ' + precision + " depth " + sweeps;
    key.facts = {{"planner", std::to_string(planner)},
                 {"device", device_name()},
                 {"compute_capability", std::to_string(properties_.major) + '.' + std::to_string(properties_.minor)},
                 {"multiprocessors", std::to_string(properties_.multiProcessorCount)},
                 {"sharers", std::to_string(sharers_)},
                 {"multi_process_service", multi_process_service() ? "yes" : "no"},
                 {"cuda_runtime", version_text(CUDART_VERSION)},
                 {"cuda_driver", version_text(driver)},
                 {"cells", cells},
                 {"precision", precision},
                 {"rhs", rhs_.get() != nullptr ? "yes" : "no"},
                 {"sweeps", sweeps},
                 {"halo", std::to_string(setup_.depth())}};
    // Passes of one sweep are measured without neighbours; windows of deeper ones depend on where there are some.
    std::string& neighbours = key.facts["neighbours"];
    for (int f = 0; f < face_count && temporal(); ++f) {
        if (!setup_.face(f).active()) continue;
        if (!neighbours.empty()) neighbours += ' ';
        neighbours += face_names[f];
    }
    return key;
}

template class CudaBackend<double>;
template class CudaBackend<float>;

}  // namespace jacobi::cuda
