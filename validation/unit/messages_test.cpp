// What travels as a message: the cells of an edge, how they lie in a buffer, and how they get into a halo.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "decomposition.hpp"
#include "host_kernels_testing.hpp"
#include "layers.hpp"
#include "transport/packed_edges.hpp"

namespace jacobi {
namespace {

/// The cells of a box of a block as cells of the grid, without periodic images.
Box in_grid(const Box& local, const Box& block) {
    Box box;
    for (int a = 0; a < 3; ++a) box.lo[a] = local.lo[a] + block.lo[a], box.hi[a] = local.hi[a] + block.lo[a];
    return box;
}

template <class Visit>
void for_cells_of(const Box& box, Visit visit) {
    test::for_cells({{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}}, visit);
}

TEST(Layers, AHaloHoldsWhatTheNeighbourSends) {
    const Decomposition d{{17, 14, 11}, {false, false, false}, {3, 3, 3}};
    const int middle = d.rank_at({1, 1, 1});
    const Box own = d.block(middle);
    for (int depth = 1; depth <= 3; ++depth) {
        for (int code = 0; code < Direction::count; ++code) {
            const Direction there{code};
            if (there == Direction{}) continue;
            const Box theirs = d.block(*d.neighbour(middle, there));
            const Box sent = layers_towards(there, own.extent(), depth);
            const Box received = halo_towards(there.opposite(), theirs.extent(), depth);
            EXPECT_EQ(in_grid(sent, own), in_grid(received, theirs)) << name(there) << ", depth " << depth;
            EXPECT_FALSE(sent.empty());
        }
    }
    EXPECT_EQ(layers_towards(Direction::face(1), {7, 6, 5}, 1), (Box{{6, 0, 0}, {7, 6, 5}}));
    EXPECT_EQ(halo_towards(Direction::face(0), {7, 6, 5}, 2), (Box{{-2, 0, 0}, {0, 6, 5}}));
}

TEST(PackedShape, EveryCellHasAPlaceOfItsOwn) {
    for (const std::size_t element : {4u, 8u}) {
        for (int code = 0; code < Direction::count; ++code) {
            const Direction direction{code};
            const PackedShape shape(layers_towards(direction, {7, 5, 6}, 2), element);
            std::set<Index> places;
            for_cells_of(shape.cells, [&](Index x, Index y, Index z) {
                const Index byte = (x + shape.pitch * y + shape.plane * z) * static_cast<Index>(element) - shape.offset();
                EXPECT_TRUE(0 <= byte && byte < static_cast<Index>(shape.bytes()));
                places.insert(byte);
                // The kernels store rows in vectors of 16 bytes, from the layers' first cell on.
                const bool in_vectors = x == shape.cells.lo[0] && shape.cells.extent()[0] * element >= 16;
                EXPECT_TRUE(!in_vectors || byte % 16 == 0) << name(direction);
            });
            EXPECT_EQ(static_cast<Index>(places.size()), shape.cells.cells()) << name(direction);
        }
    }
}

template <class T>
void expect_halos_stored(Precision precision, int threads) {
    const FieldLayout layout({9, 6, 5}, 2, sizeof(T));
    const test::Field<T> even(layout), odd(layout);
    const auto backend = make_host_backend(precision, threads);
    BlockSetup setup;
    setup.problem.grid.cells = layout.extent;
    setup.block = {{0, 0, 0}, layout.extent};
    setup.layout = layout;
    setup.fields = {reinterpret_cast<std::byte*>(even.begin()), reinterpret_cast<std::byte*>(odd.begin())};
    backend->setup(setup);

    std::vector<std::shared_ptr<std::byte>> memory;
    std::vector<PackedHalo> halos;
    std::vector<T> expected(odd.begin(), odd.end());
    std::mt19937 random(1);
    for (int code = 0; code < Direction::count; ++code) {
        const Direction direction{code};
        if (direction == Direction{}) continue;
        const PackedShape shape(halo_towards(direction, layout.extent, layout.halo), sizeof(T));
        memory.push_back(backend->message_memory(shape.bytes(), false));
        T* data = reinterpret_cast<T*>(memory.back().get());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % row_alignment, 0u);
        for_cells_of(shape.cells, [&](Index x, Index y, Index z) {
            const auto& lo = shape.cells.lo;
            T& value = data[(x - lo[0]) + shape.pitch * (y - lo[1]) + shape.plane * (z - lo[2])];
            EXPECT_EQ(value, T(0)) << "fresh memory, and no two cells in one place";
            value = expected[layout.at(x, y, z)] = static_cast<T>(1 + random() % 1000);
        });
        halos.push_back({shape.cells, memory.back().get(), shape.pitch, shape.plane});
    }
    const std::vector<T> before(even.begin(), even.end());
    backend->store_halos(3, halos);
    EXPECT_EQ(std::memcmp(odd.begin(), expected.data(), expected.size() * sizeof(T)), 0) << "generation 3 is in the odd buffer";
    EXPECT_EQ(std::memcmp(even.begin(), before.data(), before.size() * sizeof(T)), 0) << "the other is as it was";
}

TEST(HostBackend, StoresPackedLayersIntoTheHalosOfTheirGeneration) {
    for (const int threads : {1, 3}) {
        expect_halos_stored<double>(Precision::float64, threads);
        expect_halos_stored<float>(Precision::float32, threads);
    }
}

}  // namespace
}  // namespace jacobi
