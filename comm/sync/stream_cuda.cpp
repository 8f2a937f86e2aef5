// Rung `stream` on GPUs: stream memory operations on counters in the neighbours' memory. The host only enqueues, a bounded number
// of passes ahead.
#include <cuda.h>

#include <array>

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

/// Several stream memory operations in one call.
class MemoryOperations {
 public:
    bool available() const { return batch_ != nullptr; }
    void add_wait(const std::byte* word, Generation at_least) {
        CUstreamBatchMemOpParams op{};
        op.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
        op.waitValue.address = reinterpret_cast<CUdeviceptr>(word);
        op.waitValue.value64 = static_cast<cuuint64_t>(at_least);
        op.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
        operations_.push_back(op);
    }
    /// The default flags put a fence before the write: what the stream did before is visible to whoever sees the value.
    void add_write(std::byte* word, Generation value) {
        CUstreamBatchMemOpParams op{};
        op.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
        op.writeValue.address = reinterpret_cast<CUdeviceptr>(word);
        op.writeValue.value64 = static_cast<cuuint64_t>(value);
        op.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
        operations_.push_back(op);
    }
    CUresult enqueue(cudaStream_t stream) {
        const CUresult status =
            operations_.empty() ? CUDA_SUCCESS : batch_(stream, static_cast<unsigned>(operations_.size()), operations_.data(), 0);
        operations_.clear();
        return status;
    }

 private:
    using Batch = CUresult (*)(CUstream, unsigned, CUstreamBatchMemOpParams*, unsigned);
    Batch batch_ = driver_function<Batch>("cuStreamBatchMemOp");
    std::vector<CUstreamBatchMemOpParams> operations_;
};

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
            if (e.mapped()) operations_.add_wait(c_.memory.own() + ArenaLayout::counter(e.direction), g);
        }
        enqueue("wait");
    }
    void raise(Generation g) override {
        for (const Edge& e : c_.edges) {
            if (e.mapped()) operations_.add_write(e.peer + ArenaLayout::counter(e.direction.opposite()), g);
        }
        enqueue("write");     // behind the boundary's kernel in its stream
        c_.board.publish(g);  // for error messages only
        if (g % ahead == 0) keep_pace(g);
    }
    void check() override { require_no_flag_timeout(c_); }

 private:
    /// A stream takes about a thousand operations; a host that adds another sleeps in the driver until the device has done one.
    /// It never does where it waits for a rank that is gone. So the host stays fewer passes ahead, and does its waiting with a
    /// limit.
    static constexpr Generation ahead = 32;
    void keep_pace(Generation g) {
        const auto mark = [&](Generation of) { return marks_[of / ahead & 1].get(); };
        JACOBI_CUDA(cudaEventRecord(mark(g), stream_));
        // Complete, too, where g is the first mark.
        const auto reached = [&] {
            const cudaError_t status = cudaEventQuery(mark(g - ahead));
            if (status != cudaErrorNotReady) cuda::check(status, "cudaEventQuery");
            return status == cudaSuccess;
        };
        const double limit = c_.timeout_s + 2;  // as for the device's end of a batch: what it has to do comes on top
        wait_until(reached, limit, c_.topology.poll, [&] { return c_.board.describe_stall(c_.edges, g, limit); });
    }

    void enqueue(const char* what) {
        const CUresult status = operations_.enqueue(stream_);
        if (status != CUDA_SUCCESS)
            throw Error(std::string("cuStreamBatchMemOp (") + what + ") failed with status " + std::to_string(status));
    }

    MemoryOperations operations_;
    cudaStream_t stream_;
    std::array<cuda::Event, 2> marks_{cuda::make_event(cudaEventDisableTiming), cuda::make_event(cudaEventDisableTiming)};
};

}  // namespace

std::string refuse_stream_cuda(const SyncContext& c) {
    MemoryOperations operations;
    if (!operations.available()) return "the driver has no stream memory operations (use sync: event)";
    // Really tried, on this rank's own probe word.
    const cudaStream_t stream = dynamic_cast<cuda::CudaBackendBase&>(c.backend).boundary_stream();
    std::byte* word = c.memory.own() + ArenaLayout::probe(Direction{});
    operations.add_write(word, 1);
    operations.add_wait(word, 1);
    const bool works = operations.enqueue(stream) == CUDA_SUCCESS && cudaStreamSynchronize(stream) == cudaSuccess;
    (void)cudaGetLastError();
    return works ? "" : "64-bit stream memory operations do not work on this device (use sync: event)";
}
std::unique_ptr<Synchroniser> make_stream_cuda(const SyncContext& context) { return std::make_unique<CudaStreamSync>(context); }

}  // namespace jacobi
