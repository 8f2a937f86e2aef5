#include "shared_window.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "peer_memory.hpp"

namespace jacobi {

namespace {

constexpr std::size_t page = 4096;

void require_room(MPI_Comm node, std::size_t bytes, const char* purpose) {
    unsigned long long mine = bytes, total = 0;
    int ranks = 1, rank = 0;
    MPI_Comm_size(node, &ranks);
    MPI_Comm_rank(node, &rank);
    MPI_Allreduce(&mine, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, node);
    if (ranks == 1) return;  // MPI uses ordinary memory then
    unsigned long long room = 0;
    const std::string folder = window_folder();
    if (rank == 0) {
        struct statvfs fs {};
        room = statvfs(folder.c_str(), &fs) == 0 ? static_cast<unsigned long long>(fs.f_bavail) * fs.f_frsize : ~0ull;
    }
    MPI_Bcast(&room, 1, MPI_UNSIGNED_LONG_LONG, 0, node);
    if (room >= total) return;
    throw Error(
        fmt::format("{} of this node's {} ranks need {} bytes of shared memory, but {} has room for {}: enlarge it (containers: "
                    "--shm-size={}m), or set OMPI_MCA_osc_sm_backing_directory to a folder with room",
                    purpose, ranks, total, folder, room, total / (1u << 20) + 1),
        Exit::failure, true);
}

class SharedWindowMemory final : public PeerMemory {
 public:
    SharedWindowMemory(const Topology& topology, const ArenaLayout& layout)
        : window_(topology.node.get(), layout.bytes, "the fields"), layout_(layout), own_(window_.base(topology.node.rank())) {}

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

SharedWindow::SharedWindow(MPI_Comm node, std::size_t bytes, const char* purpose) {
    bytes += page;  // MPI promises no alignment: base() moves up to the next page
    require_room(node, bytes, purpose);
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
