// Snapshots written by any number of ranks read back equal, bit for bit, on any other number.
//   snapshot_test FOLDER [FILES]: a set of shapes, slab sizes and precisions, or FILES random ones
#include <fmt/ranges.h>

#include <filesystem>

#include "checks.hpp"
#include "sample_snapshot.hpp"

namespace jacobi::test {
namespace {

/// How one file is written and read.
struct Case {
    Index3 cells;
    std::uint64_t seed;
    std::uint64_t slab_bytes;
    std::array<int, 3> parts;
    int compression;

    std::string name() const {
        return fmt::format("cells {}, parts {}, compression {}, slabs of {} bytes", fmt::join(cells, " "), fmt::join(parts, " "),
                           compression, slab_bytes);
    }
};

bool same_info(const SnapshotInfo& a, const SnapshotInfo& b) {
    return a.grid.cells == b.grid.cells && a.grid.length == b.grid.length && a.grid.periodic == b.grid.periodic &&
           a.precision == b.precision && a.iteration == b.iteration && a.residual_max == b.residual_max && a.digest == b.digest &&
           a.deck == b.deck && a.version == b.version && a.git == b.git && a.ranks == b.ranks &&
           a.decomposition == b.decomposition && a.transports == b.transports;
}

/// Reads the whole file on the ranks of `comm`, each its block of another decomposition.
template <class T>
void read_on(MPI_Comm comm, const std::string& path, const SnapshotInfo& info, const Case& c, std::mt19937& random,
             Checks& checks) {
    int rank = 0, ranks = 1;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
    }
    checks.run(c.name(), [&] {
        const Box block = block_of(c.cells, random_decomposition(random, ranks), rank);
        std::vector<T> found(static_cast<std::size_t>(block.cells()));
        const std::uint64_t digest = read_snapshot(comm, path, block, info.precision, writer_to(block, found), c.slab_bytes);
        checks.expect(digest == info.digest, fmt::format("{}: digest on {} ranks", c.name(), ranks));
        checks.expect(same_bits(found, sample_block<T>(info.grid, block, c.seed)),
                      fmt::format("{}: values on {} ranks", c.name(), ranks));
        checks.expect(same_info(read_snapshot_info(comm, path), info),
                      fmt::format("{}: attributes on {} ranks", c.name(), ranks));
    });
}

template <class T>
void round_trip(const std::string& path, const Case& c, std::mt19937& random, Checks& checks) {
    const SnapshotInfo info = sample_info<T>(c.cells, c.parts, c.seed);
    const Box block = block_of(c.cells, c.parts, checks.rank());
    const auto values = sample_block<T>(info.grid, block, c.seed);

    // As the solver may do: a Cartesian communicator, on which HDF5 itself would store wrong data (file_group.cpp).
    const int periods[3] = {0, 0, 0};
    MPI_Comm cartesian, some;
    MPI_Cart_create(MPI_COMM_WORLD, 3, c.parts.data(), periods, 0, &cartesian);
    write_snapshot(cartesian, path, info, block, c.compression, reader_of(block, values), c.slab_bytes);
    read_on<T>(cartesian, path, info, c, random, checks);
    MPI_Comm_free(&cartesian);

    const int readers = 1 + static_cast<int>(random() % static_cast<unsigned>(checks.size()));
    MPI_Comm_split(MPI_COMM_WORLD, checks.rank() < readers ? 0 : MPI_UNDEFINED, 0, &some);
    std::mt19937 own = random;  // ranks that do not read must not fall out of step
    if (some != MPI_COMM_NULL) {
        read_on<T>(some, path, info, c, own, checks);
        MPI_Comm_free(&some);
    }
    if (checks.rank() == 0) read_on<T>(MPI_COMM_NULL, path, info, c, own, checks);
    MPI_Barrier(MPI_COMM_WORLD);
    checks.expect(!std::filesystem::exists(path + ".part"), c.name() + ": a .part file was left");
}

void fixed_cases(const std::string& path, std::mt19937& random, Checks& checks) {
    const int n = checks.size();
    const Index m = n;
    const Case cases[] = {
        {{m, 5, 3}, 1, max_slab_bytes, {n, 1, 1}, 0},  // blocks one cell wide
        {{7, 2 * m + 1, 5}, 2, 200, {1, n, 1}, 0},     // several slabs of whole planes, unequal numbers of them
        {{6, 5, 3 * m + 2}, 3, 100, {1, 1, n}, 0},     // planes cut into rows
        {{11 * m + 3, 4, 3}, 4, 40, {n, 1, 1}, 0},     // rows cut into parts
        {{3 * m, 1, 1}, 5, 1, {n, 1, 1}, 0},           // one cell a call
        {{13, 9 + m, 11}, 6, max_slab_bytes, {1, n, 1}, 4},
        {{13, 9 + m, 11}, 7, 300, {1, n, 1}, 1},       // chunks cut by slabs
        {{90, 70, 60 + m}, 8, 1 << 20, {1, 1, n}, 1},  // several chunks a block
    };
    for (const Case& c : cases) {
        checks.run(c.name(), [&] { round_trip<double>(path, c, random, checks); });
        checks.run(c.name(), [&] { round_trip<float>(path, c, random, checks); });
    }
}

void random_cases(const std::string& path, int files, std::mt19937& random, Checks& checks) {
    for (int i = 0; i < files; ++i) {
        Case c{{}, random(), max_slab_bytes, random_decomposition(random, checks.size()), 0};
        for (int a = 0; a < 3; ++a) c.cells[a] = c.parts[a] + static_cast<Index>(random() % 24);
        if (random() % 4 == 0) c.slab_bytes = 256 + random() % 4096;
        if (random() % 5 == 0) c.compression = 1;
        checks.run(c.name(), [&] { round_trip<double>(path, c, random, checks); });
    }
}

}  // namespace
}  // namespace jacobi::test

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int status = 0;
    {
        jacobi::test::Checks checks;
        const std::string path = fmt::format("{}/snapshot_{}.vtkhdf", argc > 1 ? argv[1] : ".", checks.size());
        std::mt19937 random(12345);
        if (argc > 2) {
            jacobi::test::random_cases(path + ".loop", std::stoi(argv[2]), random, checks);
        } else {
            jacobi::test::fixed_cases(path, random, checks);
        }
        status = checks.finish("snapshot_test");
    }
    MPI_Finalize();
    return status;
}
