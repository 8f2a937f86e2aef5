// What ranks tell each other of their arenas, and how the arena is laid out.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "arena.hpp"
#include "memory/peer_memory.hpp"

namespace jacobi {
namespace {

const ArenaLayout layout(FieldLayout({37, 23, 19}, 1, 8));

PeerRecord matching_record() {
    PeerRecord record;
    record.element = 8;
    record.extent[0] = 37;
    record.extent[1] = 23;
    record.extent[2] = 19;
    record.halo = 1;
    record.bytes = layout.bytes;
    return record;
}

TEST(PeerRecord, MatchesTheArenaThatItDescribes) { EXPECT_EQ(matching_record().mismatch(layout), ""); }

TEST(PeerRecord, NamesWhateverDiffers) {
    struct Fault {
        std::function<void(PeerRecord&)> make;
        std::vector<std::string> words;
    };
    const std::vector<Fault> faults{
        {[](PeerRecord& r) { r.magic[3] ^= 1; }, {"none of this program's"}},
        {[](PeerRecord& r) { ++r.version; }, {"version 3", "writes 2"}},
        {[](PeerRecord& r) { r.element = 4; }, {"values of 4 bytes", "8"}},
        {[](PeerRecord& r) { r.extent[0] = 38; }, {"38 cells along x", "37"}},
        {[](PeerRecord& r) { r.extent[1] = 22; }, {"22 cells along y", "23"}},
        {[](PeerRecord& r) { r.extent[2] = Index{19} + (Index{1} << 32); },
         {"4294967315 cells along z", "19"}},  // 19 in its low 32 bits
        {[](PeerRecord& r) { r.halo = 2; }, {"halo has 2 layers", "1"}},
        {[](PeerRecord& r) { r.bytes += 128; }, {std::to_string(layout.bytes + 128) + " bytes", std::to_string(layout.bytes)}},
    };
    for (const Fault& fault : faults) {
        PeerRecord record = matching_record();
        fault.make(record);
        const std::string text = record.mismatch(layout);
        for (const std::string& word : fault.words)
            EXPECT_NE(text.find(word), std::string::npos) << '"' << word << "\" in: " << text;
    }
}

TEST(PeerRecord, ReportsAForeignRecordBeforeItsContents) {
    PeerRecord record = matching_record();
    record.magic[0] = 'x';
    record.version = 7;
    record.element = 4;
    EXPECT_NE(record.mismatch(layout).find("none of this program's"), std::string::npos);
    record = matching_record();
    record.version = 7;
    record.element = 4;
    EXPECT_NE(record.mismatch(layout).find("version 7"), std::string::npos);
}

TEST(ArenaLayout, SeparatesItsParts) {
    for (const Index n : {1, 5, 64, 300}) {
        const ArenaLayout a(FieldLayout({n, n, n}, 1, 4));
        EXPECT_EQ(a.bytes % ArenaLayout::unit, 0u);
        EXPECT_GE(a.fields[0], ArenaLayout::header_bytes);
        EXPECT_GE(a.fields[1], a.fields[0] + a.field.bytes);
        EXPECT_GE(a.bytes, a.fields[1] + a.field.bytes);
        for (const std::size_t field : a.fields) EXPECT_EQ(field % row_alignment, 0u);
    }
}

TEST(ArenaLayout, GivesEveryWordThatNeighboursWriteALineOfItsOwn) {
    std::set<std::size_t> lines;
    const auto take = [&lines](std::size_t offset) {
        EXPECT_EQ(offset % ArenaLayout::line, 0u);
        EXPECT_LE(offset + ArenaLayout::line, ArenaLayout::header_bytes);
        EXPECT_TRUE(lines.insert(offset / ArenaLayout::line).second) << "offset " << offset;
    };
    for (int code = 0; code < Direction::count; ++code) {
        take(ArenaLayout::counter({code}));
        take(ArenaLayout::probe({code}));
    }
    for (int face = 0; face < face_count; ++face) {
        for (int tile = 0; tile < TileGrid::most; ++tile) take(ArenaLayout::tile(face) + tile * ArenaLayout::line);
    }
}

TEST(ArenaLayout, GivesEveryFaceAndParityAMailboxForItsRims) {
    for (const std::size_t element : {4, 8}) {
        const Index3 extent{37, 23, 19};
        const ArenaLayout a(FieldLayout(extent, 1, element));
        ASSERT_TRUE(a.has_rims());
        const std::size_t row = 2 * ((37 * element + 15) / 16);
        const std::size_t entries[3] = {23 * 19, row * 19, row * 23};
        std::size_t end = ArenaLayout::header_bytes;
        for (int f = 0; f < face_count; ++f) {
            for (const std::size_t offset : a.rims[f]) {
                EXPECT_GE(offset, end) << face_names[f];
                EXPECT_EQ(offset % ArenaLayout::line, 0u);
                end = offset + 16 * entries[f / 2];
            }
        }
        EXPECT_LE(end, a.fields[0]);
        EXPECT_GE(a.zeroed_bytes(), end);  // or a reader could take what lay there for cells
    }
}

TEST(ArenaLayout, SizesMailboxesAlikeWhereBlocksMeet) {
    EXPECT_EQ(rim_bytes({37, 23, 19}, 8, 0), rim_bytes({36, 23, 19}, 8, 0));
    EXPECT_EQ(rim_bytes({37, 23, 19}, 4, 1), rim_bytes({37, 22, 19}, 4, 1));
    EXPECT_EQ(rim_bytes({37, 23, 19}, 8, 2), rim_bytes({37, 23, 20}, 8, 2));
}

TEST(ArenaLayout, KnowsItsNeighboursArenas) {
    const ArenaLayout a(FieldLayout({37, 23, 19}, 2, 4)), b(FieldLayout({36, 23, 19}, 2, 4));
    EXPECT_EQ(a.with({36, 23, 19}), b);
}

TEST(ArenaLayout, HasNoMailboxesForFieldsThatStayOnNoChip) {
    const ArenaLayout a(FieldLayout({200, 200, 200}, 1, 8));
    EXPECT_FALSE(a.has_rims());
    EXPECT_EQ(a.fields[0], ArenaLayout::header_bytes);
}

TEST(TileGrid, StaysInItsLimitsAndHasNoEmptyTile) {
    for (const int limit : {1, 2, 7, 66, 132, 1000}) {
        for (const Index rows : {1, 2, 5, 64, 1000}) {
            for (const Index planes : {1, 3, 40, 128, 100000}) {
                for (const int resident : {1, 8}) {
                    const TileGrid t = choose_tiles({limit, 2 * resident, resident}, rows, planes);
                    EXPECT_GE(t.count(), 1);
                    EXPECT_LE(t.count(), std::min(limit, TileGrid::most));
                    EXPECT_LE(t.y, rows);
                    EXPECT_LE(t.z, planes);
                }
            }
        }
    }
    EXPECT_GE(choose_tiles({132, 16, 8}, 64, 64).count(), 120);  // uses what there is
    // Fewer cells would lie on rims of 11 x 11 on 11 x 12 tiles, or of 23 x 5 on 5 x 26.
    for (Index n = 64; n <= 128; ++n) {
        const TileGrid t = choose_tiles({132, 16, 8}, n, n);
        EXPECT_LE((n + t.y - 1) / t.y, 16) << n;
        EXPECT_LE((n + t.z - 1) / t.z, 8) << n;
    }
    EXPECT_GT(121, 8 * choose_tiles({132, 1000, 1000}, 121, 121).z);
}

}  // namespace
}  // namespace jacobi
