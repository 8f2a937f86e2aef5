// Rung `stream` on GPUs: stream memory operations on counters in the neighbours' memory. The host only enqueues.
#include <cuda.h>

#include "cuda_backend.hpp"
#include "flag_links.hpp"
#include "handles.hpp"
#include "rungs.hpp"

namespace jacobi {

namespace {

/// The driver's functions, asked for at run time: the binary starts without a driver.
template <class Function>
Function driver_function(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    return reinterpret_cast<Function>(function);
}

struct MemoryOperations {
    using Value = CUresult (*)(CUstream, CUdeviceptr, cuuint64_t, unsigned);
    Value write = driver_function<Value>("cuStreamWriteValue64");
    Value wait = driver_function<Value>("cuStreamWaitValue64");
};

CUdeviceptr address(const std::byte* p) { return reinterpret_cast<CUdeviceptr>(p); }

class CudaStreamSync final : public Synchroniser {
 public:
    explicit CudaStreamSync(const SyncContext& context)
        : Synchroniser(context), stream_(dynamic_cast<cuda::CudaBackendBase&>(context.backend).boundary_stream()) {}

    void start() override {
        // The kernels themselves look at the counters too, once and with acquire: the stream's wait orders the start of a kernel
        // behind the neighbour's write, but not the kernel's loads behind the neighbour's stores, and this device need not be
        // able to flush those.
        c_.backend.use_flags(flag_links(c_, false));
    }
    void await(Generation g) override {
        if (g == 0) return;
        for (const Edge& e : c_.edges) {
            const CUresult status = operations_.wait(stream_, address(c_.memory.own() + ArenaLayout::counter(e.direction)),
                                                     static_cast<cuuint64_t>(g), CU_STREAM_WAIT_VALUE_GEQ);
            if (status != CUDA_SUCCESS) throw Error("cuStreamWaitValue64 failed with status " + std::to_string(status));
        }
    }
    void raise(Generation g) override {
        // Behind the boundary's kernel in its stream; the write has a fence before it (the default), so the kernel's stores are
        // visible first.
        for (const Edge& e : c_.edges) {
            const CUresult status = operations_.write(stream_, address(e.peer + ArenaLayout::counter(e.direction.opposite())),
                                                      static_cast<cuuint64_t>(g), CU_STREAM_WRITE_VALUE_DEFAULT);
            if (status != CUDA_SUCCESS) throw Error("cuStreamWriteValue64 failed with status " + std::to_string(status));
        }
        c_.board.publish(g);  // for error messages only
    }
    void check() override { require_no_flag_timeout(c_); }

 private:
    MemoryOperations operations_;
    cudaStream_t stream_;
};

}  // namespace

std::string refuse_stream_cuda(const SyncContext& c) {
    const MemoryOperations operations;
    if (operations.write == nullptr || operations.wait == nullptr)
        return "the driver has no 64-bit stream memory operations (use sync: event)";
    // Really tried, on this rank's own probe word.
    const cudaStream_t stream = dynamic_cast<cuda::CudaBackendBase&>(c.backend).boundary_stream();
    const CUdeviceptr word = address(c.memory.own() + ArenaLayout::probe(Direction{}));
    const bool works = operations.write(stream, word, 1, CU_STREAM_WRITE_VALUE_DEFAULT) == CUDA_SUCCESS &&
                       operations.wait(stream, word, 1, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS &&
                       cudaStreamSynchronize(stream) == cudaSuccess;
    (void)cudaGetLastError();
    return works ? "" : "64-bit stream memory operations do not work on this device (use sync: event)";
}
std::unique_ptr<Synchroniser> make_stream_cuda(const SyncContext& context) { return std::make_unique<CudaStreamSync>(context); }

}  // namespace jacobi
