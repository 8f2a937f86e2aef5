// How a thread of a tile that stays on the chip takes and sends rims.
#pragma once

#include "resident_tile.cuh"
#include "rims.cuh"

namespace jacobi::cuda {

/// What a thread exchanges with other tiles: just the packs that it needs itself, by way of its places in shared memory.
template <class T, int Rows>
struct ResidentPost {
    const TileRims& rims;
    const FlagArgs& flags;
    const ResidentPart& part;
    const ResidentSeams<T>& seams;
    const int packs;       ///< of a row
    const int planes, ny;  ///< of the tile; rows of the block

    /// Takes generation g of `lines` lines from `line` on across face f, as far as any come, into to[line step], .... Behind line
    /// wrap - 1 comes line 0. `at_a_time` packs are on their way before the first is waited for. False: give up.
    template <int at_a_time, bool Wraps>
    __device__ __forceinline__ bool receive(Generation g, int f, int line, int lines, int wrap, Pack<T>* to, int step) const {
        const Tagged* from = rims.from[f][g & 1];
        if (from == nullptr || part.valid <= 0) return true;
        from += part.pack;
        const auto tag = static_cast<unsigned>(tag_of(g));  // enough: an entry holds g or g - 2
#pragma unroll 1
        for (; lines > 0; lines -= at_a_time, line += at_a_time) {
            Tagged entry[at_a_time][2];
            int at[at_a_time];
#pragma unroll
            for (int i = 0; i < at_a_time; ++i) {
                at[i] = line + min(i, lines - 1);
                if (Wraps && at[i] >= wrap) at[i] -= wrap;
            }
            for (Patience patience;;) {
#pragma unroll
                for (int i = 0; i < at_a_time; ++i) {
                    const Tagged* const here = from + at[i] * 2 * packs;
                    entry[i][0] = load_entry(here);
                    entry[i][1] = load_entry(here + packs);
                }
                bool missing = false;
#pragma unroll
                for (int i = 0; i < at_a_time; ++i)
                    missing |= static_cast<unsigned>(entry[i][0].tag) != tag || static_cast<unsigned>(entry[i][1].tag) != tag;
                if (!missing) break;
                // Entries of g alternate with those of g - 1, which have come.
                if (!patience.untested() &&
                    !patience.more(flags, rims.remote[f] ? Direction::face(f).code : Direction{}.code, g, g - 1))
                    return false;
            }
#pragma unroll
            for (int i = 0; i < at_a_time; ++i) {
                Pack<T> pack;
                put_half(pack, 0, entry[i][0].cells);
                put_half(pack, 1, entry[i][1].cells);
                to[at[i] * step] = pack;
            }
        }
        return true;
    }
    /// Sends the other way round.
    template <int at_a_time, bool Wraps>
    __device__ __forceinline__ void send(Generation g, int f, int line, int lines, int wrap, const Pack<T>* from,
                                         int step) const {
        Tagged* to = rims.to[f][g & 1];
        if (to == nullptr || part.valid <= 0) return;
        to += part.pack;
#pragma unroll 1
        for (; lines > 0; lines -= at_a_time, line += at_a_time) {
            Pack<T> pack[at_a_time];
            int at[at_a_time];
#pragma unroll
            for (int i = 0; i < at_a_time; ++i) {
                at[i] = line + min(i, lines - 1);
                if (Wraps && at[i] >= wrap) at[i] -= wrap;
                pack[i] = from[at[i] * step];
            }
#pragma unroll
            for (int i = 0; i < at_a_time; ++i) {
                Tagged* const there = to + at[i] * 2 * packs;
                store_entry(there, half_of_pack(pack[i], 0), tag_of(g));
                store_entry(there + packs, half_of_pack(pack[i], 1), tag_of(g));
            }
        }
    }

    /// `count` planes from k0 on, behind the last of which comes the first, before and behind the tile.
    __device__ __forceinline__ bool receive_planes(Generation g, int k0, int count) const {
        Pack<T>* const edge = seams.edge(static_cast<int>(g & 1), part);
        bool ok = true;
#pragma unroll 1
        for (int f = part.before ? 2 : 3; f <= (part.behind ? 3 : 2); ++f)
            ok = ok && receive<4, true>(g, f, k0, count, planes, edge + (f == 2 ? -1 : 2) * seams.width(), seams.edge_step());
        return ok;
    }
    /// And those of the tile's first and last row, and cells at the ends of rows.
    __device__ __forceinline__ void send_planes(Generation g, int k0, int count) const {
        const Pack<T>* const edge = seams.edge(static_cast<int>(g & 1), part);
#pragma unroll 1
        for (int f = part.before ? 2 : 3; f <= (part.behind ? 3 : 2); ++f)
            send<4, true>(g, f, k0, count, planes, edge + (f == 2 ? 0 : 1) * seams.width(), seams.edge_step());
        if (!(part.row_begin && rims.remote[0]) && !(part.row_end && rims.remote[1])) return;
        for (int i = 0; i < count; ++i) {
            const int k = k0 + i < planes ? k0 + i : k0 + i - planes;
            for (int r = part.r0; r < part.r0 + part.rows; ++r) {
                const RowEnds<T> e = seams.end(static_cast<int>(g & 1), r, seams.s.groups)[k * seams.end_step()];
                if (part.row_begin && rims.remote[0]) send_cell(rims, 0, g, k * ny + r, e.right);
                if (part.row_end && rims.remote[1]) send_cell(rims, 1, g, k * ny + r, e.left);
            }
        }
    }
    // Planes above and below the tile; its highest and lowest plane.
    __device__ __forceinline__ bool receive_above(Generation g) const {
        return receive<Rows, false>(g, 5, part.r0, part.rows, 0, seams.over() - part.r0 * seams.kept_step(), seams.kept_step());
    }
    __device__ __forceinline__ bool receive_below(Generation g) const {
        return receive<Rows, false>(g, 4, part.r0, part.rows, 0, seams.under() - part.r0 * seams.kept_step(), seams.kept_step());
    }
    __device__ __forceinline__ void send_up(Generation g) const {
        send<Rows, false>(g, 5, part.r0, part.rows, 0, seams.over() - part.r0 * seams.kept_step(), seams.kept_step());
    }
    __device__ __forceinline__ void send_down(Generation g) const {
        send<Rows, false>(g, 4, part.r0, part.rows, 0, seams.under() - part.r0 * seams.kept_step(), seams.kept_step());
    }
};

}  // namespace jacobi::cuda
