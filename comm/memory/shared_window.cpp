#include "shared_window.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "edges.hpp"
#include "peer_memory.hpp"

namespace jacobi {

namespace {

constexpr std::size_t page = 4096;

std::size_t with_page(std::size_t bytes) { return bytes + page; }  // MPI promises no alignment: base() moves up to the next page

int size_of(MPI_Comm comm) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    return size;
}

/// Collective over the ranks whose windows have their memory in one place. Empty where `bytes` a rank fit there, else what is
/// wrong, the same text on all of them. A rank alone on its node gives 0: MPI uses ordinary memory then.
std::string shortage(MPI_Comm sharers, std::size_t bytes, const char* purpose) {
    unsigned long long needed[2] = {bytes, bytes > 0 ? 1u : 0u};  // bytes, ranks
    MPI_Allreduce(MPI_IN_PLACE, needed, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, sharers);
    int rank = 0, length = 0;
    MPI_Comm_rank(sharers, &rank);
    unsigned long long room = 0;
    const std::string folder = window_folder();
    if (rank == 0) {
        struct statvfs fs {};
        room = statvfs(folder.c_str(), &fs) == 0 ? static_cast<unsigned long long>(fs.f_bavail) * fs.f_frsize : ~0ull;
    }
    MPI_Bcast(&room, 1, MPI_UNSIGNED_LONG_LONG, 0, sharers);
    if (room >= needed[0]) return {};
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    MPI_Get_processor_name(host, &length);
    return fmt::format(
        "{} of {} ranks on {} need {} bytes of shared memory, but {} has room for {}: enlarge it (containers: --shm-size={}m), "
        "or set OMPI_MCA_osc_sm_backing_directory to a folder with room",
        purpose, needed[1], host, needed[0], folder, room, needed[0] / (1u << 20) + 1);
}

class SharedWindowMemory final : public PeerMemory {
 public:
    SharedWindowMemory(const Topology& topology, const ArenaLayout& layout)
        : window_(topology, layout.bytes, "the fields"), layout_(layout), own_(window_.base(topology.node.rank())) {}

    const char* transport() const override { return "shm"; }
    std::byte* own() const override { return own_; }
    PeerRecord record() const override {
        PeerRecord record;
        record.element = static_cast<std::uint32_t>(layout_.field.element);
        for (int a = 0; a < 3; ++a) record.extent[a] = layout_.field.extent[a];
        record.halo = layout_.field.halo;
        record.bytes = layout_.bytes;
        return record;
    }
    std::byte* open(int node_rank, const PeerRecord&) override { return window_.base(node_rank); }
    void fence() const override { window_.sync(); }
    void close_peers() override {}
    void free() override { window_.close(); }

 private:
    SharedWindow window_;
    ArenaLayout layout_;
    std::byte* own_;
};

}  // namespace

std::string window_folder() {
    const char* folder = std::getenv("OMPI_MCA_osc_sm_backing_directory");
    return folder != nullptr ? folder : "/dev/shm";
}

SharedWindow::SharedWindow(const Topology& topology, std::size_t bytes, const char* purpose) {
    bytes = with_page(bytes);
    // Pretended nodes of a machine share its room, and one machine's lack of it is everybody's: a rank that went on alone would
    // wait for the others in vain.
    const std::string mine = shortage(topology.machine.get(), topology.node.size() > 1 ? bytes : 0, purpose);
    for (const std::string& text : gather_texts(topology.world.get(), mine)) {
        if (!text.empty()) throw Error(text, Exit::failure, true);
    }
    allocate(topology.node.get(), bytes, purpose);
}

SharedWindow::SharedWindow(MPI_Comm node, std::size_t bytes, const char* purpose) {
    bytes = with_page(bytes);
    const std::string text = shortage(node, size_of(node) > 1 ? bytes : 0, purpose);
    if (!text.empty()) throw Error(text, Exit::failure, true);
    allocate(node, bytes, purpose);
}

void SharedWindow::allocate(MPI_Comm node, std::size_t bytes, const char* purpose) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each rank's piece starts on its own page
    void* base = nullptr;
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);  // MPI's own way to end here says nothing of bytes
    const int status = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, node, &base, &window_);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
    if (status != MPI_SUCCESS) {
        throw Error(
            fmt::format("no room for {}: {} bytes of memory cannot be had here. Use fewer cells a rank, fewer halo layers, "
                        "or more ranks on more machines",
                        purpose, bytes));
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    pages_.request(static_cast<std::byte*>(base), bytes);
}

std::byte* SharedWindow::base(int node_rank) const {
    MPI_Aint size = 0;
    int unit = 1;
    void* base = nullptr;
    MPI_Win_shared_query(window_, node_rank, &size, &unit, &base);
    // Mappings are whole pages, so all processes move to the same place in the memory they share.
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    return pages_.view(reinterpret_cast<std::byte*>((address + page - 1) / page * page));
}

void SharedWindow::close() {
    if (window_ == MPI_WIN_NULL) return;
    pages_.release();
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
}

std::unique_ptr<PeerMemory> make_shared_window(const Topology& topology, const ArenaLayout& layout) {
    return std::make_unique<SharedWindowMemory>(topology, layout);
}

}  // namespace jacobi
