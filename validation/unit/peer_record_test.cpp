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
        {[](PeerRecord& r) { ++r.version; }, {"version 2", "writes 1"}},
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
    for (int code = 0; code < Direction::count; ++code) {
        for (const std::size_t offset : {ArenaLayout::counter({code}), ArenaLayout::arrival({code}, 0),
                                         ArenaLayout::arrival({code}, 1), ArenaLayout::probe({code})}) {
            EXPECT_EQ(offset % ArenaLayout::line, 0u);
            EXPECT_LE(offset + ArenaLayout::line, ArenaLayout::header_bytes);
            EXPECT_TRUE(lines.insert(offset / ArenaLayout::line).second) << "direction " << code;
        }
    }
}

}  // namespace
}  // namespace jacobi
