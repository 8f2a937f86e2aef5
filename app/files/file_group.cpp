#include "file_group.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace jacobi {
namespace {

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace

FileGroup::FileGroup(MPI_Comm comm) {
    prepare_hdf5();
    if (comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(comm, &rank_);
    // HDF5 gets a communicator from MPI_Comm_split and nothing else. On a Cartesian communicator, or a duplicate of one, Open
    // MPI before 4.1.7 silently stores wrong data in collective writes (open-mpi/ompi issue 12718); the split drops the topology.
    MPI_Comm_split(comm, 0, rank_, &comm_);
    MPI_Comm_size(comm_, &size_);
}

FileGroup::~FileGroup() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

std::uint64_t FileGroup::sum(std::uint64_t value) const {
    if (comm_ != MPI_COMM_NULL) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return value;
}

Index FileGroup::max(Index value) const {
    if (comm_ != MPI_COMM_NULL) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm_);
    return value;
}

void FileGroup::step(const std::function<void()>& work) const {
    std::string fault;
    int exit = 0;
    try {
        work();
    } catch (const Error& error) {
        fault = error.what();
        exit = static_cast<int>(error.exit());
    } catch (const std::exception& error) {
        if (hdf5_is_broken()) throw;  // other ranks may never come here
        fault = error.what();
        exit = static_cast<int>(Exit::failure);
    }

    // One reduction where all went well: the lowest rank that failed (size_ for none), and minus the highest that succeeded.
    int outcome[2] = {exit == 0 ? size_ : rank_, exit == 0 ? -rank_ : 1};
    if (comm_ != MPI_COMM_NULL) MPI_Allreduce(MPI_IN_PLACE, outcome, 2, MPI_INT, MPI_MIN, comm_);
    const int failed = outcome[0];
    if (failed == size_) return;
    if (outcome[1] != 1) fault = fmt::format("rank {} ({}): {}", rank_, host_name(), fault);

    if (comm_ != MPI_COMM_NULL) {
        int head[2] = {static_cast<int>(fault.size()), exit};
        MPI_Bcast(head, 2, MPI_INT, failed, comm_);
        fault.resize(static_cast<std::size_t>(head[0]));
        MPI_Bcast(fault.data(), head[0], MPI_CHAR, failed, comm_);
        exit = head[1];
    }
    throw Error(fault, static_cast<Exit>(exit), true);
}

void FileGroup::root_step(const std::function<void()>& work) const {
    step([&] {
        if (root()) work();
    });
}

Hdf5Handle FileGroup::file_access() const {
    Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
    if (comm_ != MPI_COMM_NULL) check_hdf5(H5Pset_fapl_mpio(access, comm_, MPI_INFO_NULL), "H5Pset_fapl_mpio");
    return access;
}

Hdf5Handle FileGroup::transfer() const {
    Hdf5Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "H5Pcreate");
    if (comm_ != MPI_COMM_NULL) check_hdf5(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
    return transfer;
}

}  // namespace jacobi
