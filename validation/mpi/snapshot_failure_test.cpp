// What goes wrong with a snapshot ends in one clear error on all ranks, no .part file, and the older file as it was.
//   snapshot_failure_test FOLDER                 errors that any folder can show
//   snapshot_failure_test FOLDER --small-tmpfs   FOLDER/full holds about 4 MiB, FOLDER/readonly is mounted read-only
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "checks.hpp"
#include "output_path.hpp"
#include "sample_snapshot.hpp"

namespace jacobi::test {
namespace {

namespace fs = std::filesystem;

/// Deletes or creates files on rank 0, between barriers.
void on_root(const Checks& checks, const std::function<void()>& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (checks.rank() == 0) work();
    MPI_Barrier(MPI_COMM_WORLD);
}

/// One rank's part of a sample field, ready to be written.
struct Sample {
    SnapshotInfo info;
    Box block;
    std::vector<double> values;

    Sample(const Checks& checks, const Index3& cells, std::uint64_t seed)
        : info(sample_info<double>(cells, {1, checks.size(), 1}, seed)),
          block(block_of(cells, info.decomposition, checks.rank())),
          values(sample_block<double>(info.grid, block, seed)) {}

    void write(const std::string& path, std::uint64_t slab_bytes = max_slab_bytes) const {
        write_snapshot(MPI_COMM_WORLD, path, info, block, 0, reader_of(block, values), slab_bytes);
    }
    bool is_in(const std::string& path) const {
        const auto discard = [](Index, Index, const void*) {};
        return read_snapshot(MPI_COMM_WORLD, path, block, info.precision, discard) == info.digest &&
               read_snapshot_info(MPI_COMM_WORLD, path).iteration == info.iteration;
    }
};

/// `work` must fail as told and leave the older file, in which `old` was stored, and nothing else.
void expect_unharmed(Checks& checks, const std::string& what, const std::string& path, const Sample& old,
                     const std::vector<std::string>& words, const std::function<void()>& work) {
    checks.expect_error(what, Exit::failure, words, work);
    checks.run(what, [&] { checks.expect(old.is_in(path), what + ": the older file was changed"); });
    checks.expect(!fs::exists(path + ".part"), what + ": a .part file was left");
    MPI_Barrier(MPI_COMM_WORLD);
}

void write_failures(const std::string& folder, Checks& checks) {
    const std::string path = folder + "/old.vtkhdf";
    const Index3 cells{9, Index{3} * checks.size(), 7};
    const Sample old(checks, cells, 1);
    checks.run("older file", [&] { old.write(path); });

    Sample wrong(checks, cells, 2);
    wrong.info.digest ^= 1;
    expect_unharmed(checks, "wrong digest", path, old, {"cannot write " + path, "read back", "digest"},
                    [&] { wrong.write(path); });

    const Sample next(checks, cells, 3);
    const int thrower = checks.size() - 1;
    expect_unharmed(checks, "a rank that cannot read its block", path, old, {"cannot write " + path, "device lost"}, [&] {
        const auto read = [&](Index z0, Index z1, void* planes) {
            if (checks.rank() == thrower && z0 == 3) throw Error("device lost");
            reader_of(next.block, next.values)(z0, z1, planes);
        };
        write_snapshot(MPI_COMM_WORLD, path, next.info, next.block, 0, read, 200);  // a plane a slab
    });

    struct rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit small = before;
    small.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &small);
    checks.expect(check_output_path(path, true, 8192).find("limited to 4096 bytes") != std::string::npos, "check of ulimit -f");
    expect_unharmed(checks, "ulimit -f", path, old, {"File too large", "4096 bytes"}, [&] { next.write(path); });
    setrlimit(RLIMIT_FSIZE, &before);

    checks.run("a good file after all failures", [&] {
        next.write(path);
        checks.expect(next.is_in(path), "the file was not replaced");
    });
    checks.expect_error("missing folder", Exit::failure, {"cannot write", "No such file or directory"},
                        [&] { old.write(folder + "/none/u.vtkhdf"); });
    on_root(checks, [&] { fs::create_directories(folder + "/folder.vtkhdf"); });
    checks.expect_error("a folder of that name", Exit::failure, {"cannot write", "cannot rename", "directory"},
                        [&] { old.write(folder + "/folder.vtkhdf"); });
    checks.expect(!fs::exists(folder + "/folder.vtkhdf.part"), "folder: a .part file was left");
}

void read_failures(const std::string& folder, Checks& checks) {
    const std::string path = folder + "/read.vtkhdf";
    const Sample good(checks, {5, checks.size(), 4}, 1);
    checks.run("good file", [&] { good.write(path); });
    const auto read = [&](const std::string& name, const Box& block, Precision precision) {
        return [&, name, block, precision] {
            read_snapshot(MPI_COMM_WORLD, name, block, precision, [](Index, Index, const void*) {});
        };
    };
    checks.expect_error("other precision", Exit::usage, {path, "precision is double"},
                        read(path, good.block, Precision::float32));
    checks.expect_error("block outside", Exit::usage, {path, "5 cells along x"},
                        read(path, {{0, 0, 0}, {6, 1, 1}}, Precision::float64));
    checks.expect_error("missing file", Exit::usage, {"none.vtkhdf", "No such file"},
                        [&] { read_snapshot_info(MPI_COMM_WORLD, folder + "/none.vtkhdf"); });

    on_root(checks, [&] { std::ofstream(folder + "/text.vtkhdf") << "grid:\n  cells: [1, 2, 3]\n"; });
    checks.expect_error("not HDF5", Exit::usage, {"text.vtkhdf cannot be used", "H5Fopen"},
                        [&] { read_snapshot_info(MPI_COMM_WORLD, folder + "/text.vtkhdf"); });
    on_root(checks, [&] {
        fs::copy_file(path, folder + "/cut.vtkhdf", fs::copy_options::overwrite_existing);
        fs::resize_file(folder + "/cut.vtkhdf", fs::file_size(path) / 2);
    });
    checks.expect_error("cut file", Exit::usage, {"cut.vtkhdf cannot be used", "truncated"},
                        [&] { read_snapshot_info(MPI_COMM_WORLD, folder + "/cut.vtkhdf"); });
}

void path_checks(const std::string& folder, Checks& checks) {
    const auto expect = [&](const std::string& path, bool overwrite, std::uint64_t bytes, const std::string& word) {
        const std::string text = check_output_path(path, overwrite, bytes);
        checks.expect(word.empty() ? text.empty() : text.find(word) != std::string::npos,
                      "check_output_path of " + path + ": " + text);
    };
    on_root(checks, [&] {
        std::ofstream(folder + "/exists.vtkhdf") << "x";
        fs::create_directories(folder + "/inside");
    });
    expect(folder + "/new.vtkhdf", false, 1000, "");
    expect(folder + "/exists.vtkhdf", true, 1000, "");
    expect(folder + "/exists.vtkhdf", false, 1000, "exists and overwrite is false");
    expect(folder + "/none/new.vtkhdf", true, 1000, "No such file or directory; create it first");
    expect(folder + "/exists.vtkhdf/new.vtkhdf", true, 1000, "is not a folder");
    expect(folder + "/inside", true, 1000, "it is a folder");
    expect("/dev/null", true, 1000, "not a regular file");
    expect(folder + "/" + std::string(300, 'n'), true, 1000, "File name too long");
    expect(folder + "/new.vtkhdf", true, std::uint64_t{1} << 60, "it needs 1152921504606846976 bytes");
    checks.expect(!fs::exists(folder + "/new.vtkhdf"), "check_output_path touched the file");
    checks.expect(dump_path("a.b/u.vtkhdf", 100) == "a.b/u_000100.vtkhdf", "name of a dump");
    on_root(checks, [&] {
        write_series(folder + "/u.vtkhdf", {{folder + "/u_000000.vtkhdf", 0}, {folder + "/u_000100.vtkhdf", 100}});
        std::ifstream file(folder + "/u.vtkhdf.series");
        const std::string text(std::istreambuf_iterator<char>(file), {});
        checks.expect(text.find("\"name\": \"u_000100.vtkhdf\"") != std::string::npos, "index of a series: " + text);
    });
}

void small_tmpfs(const std::string& folder, Checks& checks) {
    const std::string path = folder + "/full/u.vtkhdf";
    const Sample old(checks, {20, checks.size(), 20}, 1);
    checks.run("older file", [&] { old.write(path); });
    const Sample large(checks, {100, 100 + checks.size(), 100}, 2);
    const std::uint64_t bytes = snapshot_bytes(large.info.grid, Precision::float64);
    const std::vector<std::string> words{"cannot write " + path, "No space left on device", std::to_string(bytes) + " bytes"};
    expect_unharmed(checks, "disk full", path, old, words, [&] { large.write(path); });
    expect_unharmed(checks, "disk full, small slabs", path, old, words, [&] { large.write(path, 100000); });
    const std::string text = check_output_path(path, true, bytes);
    checks.expect(text.find(std::to_string(bytes) + " bytes") != std::string::npos, "check of a small disk: " + text);
    checks.run("a good file in the space that was given back", [&] { old.write(path); });

    const std::string fixed = folder + "/readonly/u.vtkhdf";
    checks.expect(check_output_path(fixed, true, 10).find("Read-only file system") != std::string::npos,
                  "check of a read-only folder");
    checks.expect_error("read-only folder", Exit::failure, {"cannot write " + fixed, "Read-only file system"},
                        [&] { old.write(fixed); });
}

}  // namespace
}  // namespace jacobi::test

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int status = 0;
    {
        using namespace jacobi::test;
        Checks checks;
        const std::string folder = argc > 1 ? argv[1] : ".";
        if (argc > 2) {
            small_tmpfs(folder, checks);
        } else {
            write_failures(folder, checks);
            read_failures(folder, checks);
            path_checks(folder, checks);
        }
        status = checks.finish("snapshot_failure_test");
    }
    MPI_Finalize();  // HDF5 ends in here, and crashes over a file that it could not close
    return status;
}
