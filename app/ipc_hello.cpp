// The idea of this program in its smallest form: one process reads the GPU memory of another, without a copy through the host
// and without a message for the data.
//
//     mpirun -np 2 ./ipc_hello
//
// Rank 0 writes "Hello, World!" into its own device memory and sends rank 1 a handle, 64 bytes that name the allocation. Rank 1
// turns the handle into a pointer of its own and copies the text from there. Only rank 1 prints. The solver does the same once at
// start-up with each neighbour, and from then on its kernels store halos through such pointers (comm/README.md).
//
// Without a GPU the ranks do the same with host memory: an MPI-3 shared window is memory of one process that others map.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#if defined(JACOBI_WITH_CUDA)
#include <cuda_runtime.h>
#endif

namespace {

constexpr char greeting[] = "Hello, World!";
constexpr std::size_t text_bytes = sizeof greeting;

/// Prints what went wrong and ends both ranks: the other one would wait forever.
[[noreturn]] void give_up(const std::string& message) {
    std::fprintf(stderr, "ipc_hello: %s\n", message.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::exit(1);
}

/// Rank 1's last step. The text is compared as well: there are machines whose driver offers peer access that carries no data.
void show(const char (&text)[text_bytes], const std::string& origin) {
    if (std::memcmp(text, greeting, text_bytes) != 0) {
        give_up("rank 1 opened " + origin +
                ", but does not find there what rank 0 has written. On GPUs of one machine look at its "
                "IOMMU and PCIe ACS settings: they can break direct access between devices");
    }
    std::printf("rank 1 reads in %s: %s\n", origin.c_str(), text);
}

/// GPUs that this process can use; where there are none, why.
int count_devices(std::string& reason) {
    int count = 0;
#if defined(JACOBI_WITH_CUDA)
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) count = 0;
    reason = status == cudaSuccess ? "no device is visible" : cudaGetErrorString(status);
#else
    reason = "this build is without CUDA";
#endif
    return count;
}

#if defined(JACOBI_WITH_CUDA)

void check(cudaError_t status, const char* call, const char* hint = "") {
    if (status == cudaSuccess) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    give_up("rank " + std::to_string(rank) + ": " + call + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
            ")" + hint);
}
#define CHECK(call) check((call), #call)

/// What rank 0 sends. The handle is plain bytes and means something only to processes of the same machine.
struct Offer {
    cudaIpcMemHandle_t handle;
    char pci[16];  ///< where the device is: ordinals mean different devices to processes that see different sets
};

void own_and_offer(MPI_Comm pair) {
    // A plain cudaMalloc with nothing else in it. A handle names a whole allocation, never an address inside: small cudaMallocs
    // share pieces of 2 MiB, and the other process would see all of such a piece. Pools (cudaMallocAsync) and managed memory
    // cannot be exported this way.
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, std::size_t{2} << 20));

    CHECK(cudaMemcpy(memory, greeting, text_bytes, cudaMemcpyHostToDevice));
    // The copy may return before the bytes are in device memory; the handle must not be used before they are.
    CHECK(cudaDeviceSynchronize());

    Offer offer{};
    int device = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetPCIBusId(offer.pci, sizeof offer.pci, device));
    CHECK(cudaIpcGetMemHandle(&offer.handle, memory));
    // The handle travels, the data does not. (The exported memory itself is never given to MPI: a CUDA-aware MPI would open it a
    // second time behind our back.)
    MPI_Send(&offer, sizeof offer, MPI_BYTE, 1, 0, pair);

    // Freeing memory that another process still has open is undefined. The barrier says that rank 1 has closed it.
    MPI_Barrier(pair);
    CHECK(cudaFree(memory));
}

void open_and_read(MPI_Comm pair) {
    Offer offer;
    MPI_Recv(&offer, sizeof offer, MPI_BYTE, 0, 0, pair, MPI_STATUS_IGNORE);

    // Maps rank 0's memory into this process. The flag lets the driver enable direct access between the two devices, if they are
    // two. It fails for the process that made the handle, which has a pointer already.
    void* peer = nullptr;
    check(cudaIpcOpenMemHandle(&peer, offer.handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle",
          ". It needs both GPUs in one machine with direct access between them (nvidia-smi topo -p2p r), no MIG, and processes "
          "that "
          "see each other: containers must share PID and IPC namespaces and all GPUs, Slurm needs --gpu-bind=none");

    // From here on rank 0's memory is memory like any other: kernels could read and write it, too.
    char text[text_bytes] = {};
    CHECK(cudaMemcpy(text, peer, text_bytes, cudaMemcpyDeviceToHost));

    // Close, then barrier, then rank 0 frees.
    CHECK(cudaIpcCloseMemHandle(peer));
    MPI_Barrier(pair);

    int device = 0;
    char pci[16] = {};
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetPCIBusId(pci, sizeof pci, device));
    const std::string owner = std::string("memory of rank 0 on GPU ") + offer.pci;
    show(text, owner + (std::strcmp(pci, offer.pci) == 0 ? ", its own GPU as well" : std::string(", from GPU ") + pci));
}

void hello_through_cuda_ipc(MPI_Comm pair, int rank, int devices) {
    // Ranks take different GPUs where they see several, share one where they see only that, and where each sees only its own both
    // take their number 0.
    CHECK(cudaSetDevice(rank % devices));
    if (rank == 0) {
        own_and_offer(pair);
    } else {
        open_and_read(pair);
    }
}

#endif  // JACOBI_WITH_CUDA

void hello_through_shared_window(MPI_Comm pair, int rank) {
    // Collective; rank 0 brings the memory, rank 1 none.
    char* own = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate_shared(rank == 0 ? text_bytes : 0, 1, MPI_INFO_NULL, pair, &own, &window);
    // One long epoch, in which plain loads and stores are allowed.
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);

    // Stored, made visible (sync), announced (barrier); then made visible on the other side and read.
    if (rank == 0) std::memcpy(own, greeting, text_bytes);
    MPI_Win_sync(window);
    MPI_Barrier(pair);
    MPI_Win_sync(window);
    if (rank == 1) {
        MPI_Aint bytes = 0;
        int unit = 0;
        char* peer = nullptr;
        MPI_Win_shared_query(window, 0, &bytes, &unit, &peer);  // rank 0's memory at this process' own address: the "open"
        char text[text_bytes] = {};
        std::memcpy(text, peer, text_bytes);
        show(text, "memory of rank 0 on the host");
    }

    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);  // collective: close, barrier and free in one
}

/// Ends the program unless both ranks are on one machine: memory of another one cannot be mapped.
void require_one_machine(MPI_Comm pair, int rank) {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(pair, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    int together = 0;
    MPI_Comm_size(machine, &together);
    MPI_Comm_free(&machine);
    if (together == 2) return;
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(host, &length);
    if (rank == 1) give_up(std::string("rank 1 is on ") + host + ", rank 0 on another machine; start both on one");
    MPI_Barrier(pair);  // rank 1 ends us
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        if (rank == 0) std::fprintf(stderr, "ipc_hello: it takes no options: mpirun -np 2 ./ipc_hello\n");
        MPI_Finalize();
        return 2;
    }
    if (size < 2) {
        std::fprintf(stderr, "ipc_hello: one process has no other to say hello to; start two: mpirun -np 2 ./ipc_hello\n");
        MPI_Finalize();
        return 2;
    }

    // Further ranks have nothing to do.
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    if (pair != MPI_COMM_NULL) {
        require_one_machine(pair, rank);

        // Both must take the same way: GPUs if both see one.
        std::string reason;
        const int devices = count_devices(reason);
        int fewest = 0;
        MPI_Allreduce(&devices, &fewest, 1, MPI_INT, MPI_MIN, pair);
#if defined(JACOBI_WITH_CUDA)
        if (fewest > 0) hello_through_cuda_ipc(pair, rank, devices);
#endif
        if (fewest == 0) {
            if (rank == 1) {
                std::printf("No GPU (%s): the same in host memory, through an MPI-3 shared window.\n",
                            devices > 0 ? "rank 0 sees none" : reason.c_str());
            }
            hello_through_shared_window(pair, rank);
        }
        MPI_Comm_free(&pair);
    }
    MPI_Finalize();
    return 0;
}
