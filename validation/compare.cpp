// compare A B [--tolerance T]: are two snapshots the same field, bit for bit or within T?
// Works in slabs of planes, so files may be larger than memory. Serial; needs no mpirun.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <vector>

#include "config.hpp"
#include "digest.hpp"
#include "error.hpp"
#include "snapshot.hpp"

namespace {

using namespace jacobi;

/// Bytes of one slab in memory; each file has one here and one in read_snapshot.
constexpr std::uint64_t slab_bytes = std::uint64_t{1} << 28;

std::string shape(const Index3& cells) { return fmt::format("{} x {} x {}", cells[0], cells[1], cells[2]); }

/// One of the two files. The digest grows as slabs are read.
class Snapshot {
 public:
    explicit Snapshot(const std::string& path) : path_(path), info_(read_snapshot_info(MPI_COMM_NULL, path)) {}

    const SnapshotInfo& info() const { return info_; }
    /// Planes of a slab: as many as fit, at least one.
    Index planes() const {
        const auto plane = static_cast<std::uint64_t>(info_.grid.cells[0] * info_.grid.cells[1]) * bytes_of(info_.precision);
        return std::clamp<Index>(static_cast<Index>(slab_bytes / plane), 1, info_.grid.cells[2]);
    }

    template <class T>
    void read(Index z0, Index z1, std::vector<T>& values) {
        const auto& cells = info_.grid.cells;
        const auto plane = static_cast<std::size_t>(cells[0] * cells[1]);
        values.resize(plane * static_cast<std::size_t>(z1 - z0));
        const auto keep = [&](Index from, Index to, const void* source) {
            std::memcpy(values.data() + plane * static_cast<std::size_t>(from), source,
                        plane * static_cast<std::size_t>(to - from) * sizeof(T));
        };
        digest_ += read_snapshot(MPI_COMM_NULL, path_, {{0, 0, z0}, {cells[0], cells[1], z1}}, info_.precision, keep, slab_bytes);
    }

    /// Reads the rest of the way for the digest alone.
    void read_all() {
        const auto discard = [](Index, Index, const void*) {};
        digest_ = read_snapshot(MPI_COMM_NULL, path_, {{0, 0, 0}, info_.grid.cells}, info_.precision, discard, slab_bytes);
    }

    /// Prints what the file holds, once all of it was read; false where it is not what its digest attribute promises.
    bool print() const {
        fmt::print("{}: {} {}, iteration {}, digest {:016x}\n", path_, shape(info_.grid.cells), name(info_.precision),
                   info_.iteration, digest_);
        if (digest_ == info_.digest) return true;
        fmt::print("{}: damaged: its attribute says digest {:016x}\n", path_, info_.digest);
        return false;
    }

 private:
    std::string path_;
    SnapshotInfo info_;
    std::uint64_t digest_ = 0;
};

/// Cells that differ in any bit; all NaN are one value, as in the digest. -0 and +0 differ, by 0.
struct Difference {
    Index cells = 0;
    double largest = -1;  ///< infinite where one value is NaN
    Index3 where{0, 0, 0};
    double a = 0, b = 0;  ///< the values there

    template <class T>
    void add(const Index3& at, T in_a, T in_b) {
        if (digest_bits(in_a) == digest_bits(in_b)) return;
        ++cells;
        double size = std::abs(static_cast<double>(in_a) - static_cast<double>(in_b));
        if (std::isnan(size)) size = std::numeric_limits<double>::infinity();
        if (size > largest) {
            largest = size;
            where = at;
            a = static_cast<double>(in_a);
            b = static_cast<double>(in_b);
        }
    }
};

template <class T>
Difference compare_fields(Snapshot& a, Snapshot& b) {
    Difference difference;
    const Index3 cells = a.info().grid.cells;
    std::vector<T> in_a, in_b;
    for (Index z0 = 0; z0 < cells[2]; z0 += a.planes()) {
        const Index z1 = std::min(cells[2], z0 + a.planes());
        a.read(z0, z1, in_a);
        b.read(z0, z1, in_b);
        std::size_t i = 0;
        for (Index z = z0; z < z1; ++z) {
            for (Index y = 0; y < cells[1]; ++y) {
                for (Index x = 0; x < cells[0]; ++x, ++i) difference.add({x, y, z}, in_a[i], in_b[i]);
            }
        }
    }
    return difference;
}

Exit compare(const std::string& path_a, const std::string& path_b, std::optional<double> tolerance) {
    Snapshot a(path_a), b(path_b);
    const bool same_kind = a.info().grid.cells == b.info().grid.cells && a.info().precision == b.info().precision;
    Difference difference;
    if (!same_kind) {
        a.read_all();
        b.read_all();
    } else if (a.info().precision == Precision::float64) {
        difference = compare_fields<double>(a, b);
    } else {
        difference = compare_fields<float>(a, b);
    }
    const bool a_sound = a.print(), b_sound = b.print();
    if (!same_kind) {
        fmt::print("different: {} {} and {} {}\n", shape(a.info().grid.cells), name(a.info().precision),
                   shape(b.info().grid.cells), name(b.info().precision));
        return Exit::verification;
    }

    fmt::print("differing cells: {} of {}\n", difference.cells, volume(a.info().grid.cells));
    if (difference.cells > 0) {
        fmt::print("largest difference: {:.17g} at x y z = {} {} {}: {:.17g} and {:.17g}\n", difference.largest,
                   difference.where[0], difference.where[1], difference.where[2], difference.a, difference.b);
    }
    const bool bitwise = difference.cells == 0;
    const bool equal = bitwise || (tolerance && difference.largest <= *tolerance);
    if (!a_sound || !b_sound) {
        fmt::print("different: a damaged file is equal to nothing\n");
        return Exit::verification;
    }
    const std::string bound = tolerance ? fmt::format("{}", *tolerance) : "";
    if (equal) {
        fmt::print("equal: {}\n", bitwise ? "bit for bit" : "within " + bound);
    } else {
        fmt::print("different{}\n", tolerance ? ": by more than " + bound : "");
    }
    return equal ? Exit::success : Exit::verification;
}

Exit run(int argc, const char* const* argv) {
    CLI::App app("Compares the fields of two snapshots, bit for bit or within a tolerance.", "compare");
    app.footer("Exit status: 0 equal, 2 a file or an option that cannot be used, 3 different (other shapes and precisions too).");
    std::string path_a, path_b;
    double bound = 0;
    app.add_option("A", path_a, "a snapshot")->required()->type_name("FILE");
    app.add_option("B", path_b, "another one")->required()->type_name("FILE");
    const auto* tolerance =
        app.add_option("--tolerance", bound, "largest difference that still counts as equal (maximum norm)")->type_name("T");
    try {
        app.parse(argc, argv);
        if (!(bound >= 0 && std::isfinite(bound))) throw CLI::ValidationError("--tolerance", "expected a number >= 0");
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? Exit::success : Exit::usage;
    }
    return compare(path_a, path_b, *tolerance ? std::optional(bound) : std::nullopt);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return static_cast<int>(run(argc, argv));
    } catch (const Error& error) {
        std::fprintf(stderr, "compare: %s\n", error.what());
        return static_cast<int>(error.exit());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "compare: %s\n", error.what());
        return static_cast<int>(Exit::failure);
    }
}
