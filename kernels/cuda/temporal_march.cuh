// Several sweeps in one pass through memory: columns of the block are marched in z with all intermediate levels on chip.
//
// A thread block marches a window of 32 N x Rows Warps cells. At step k it loads plane k (level 0) and computes level l at plane
// k - l, for l = 1 ... Depth: the levels follow each other one plane apart. Level l at plane z needs level l - 1 at z - 1 and z,
// from earlier steps, and at z + 1, which the same thread has computed a moment before. Only the neighbours at plane z come from
// other threads, and those are a step old: one barrier a plane is enough, whatever the depth. A warp spans the window in x
// (N cells a lane, x neighbours by shuffle) and Rows rows; only its first and last row go through shared memory.
//
// The rim of a window is computed from unknown neighbours and thrown away: it shrinks by a cell a level, so windows overlap by
// Depth cells a side. At a Dirichlet face nothing is lost: the face's value stands in for the neighbour. What is left of the
// block may need only a part of a window: then the lanes of a warp, or the warps, are shared among several such parts.
//
// The idea of levels in registers with few shared rows is that of N.5D blocking (Nguyen et al., SC'10; Matsumura et al., AN5D,
// CGO'20); what is different here is that levels lag by one plane, so that partial sums need no barrier of their own.
#pragma once

#include "copy_async.cuh"
#include "push_layers.cuh"
#include "temporal_args.hpp"

namespace jacobi::cuda {

template <class T, int N, int Depth, int Warps, int Rows, bool Rhs>
struct TemporalTile {
    static constexpr int width = 32 * N, height = Warps * Rows;
    static constexpr int planes = 3;                        ///< of u: one in use, two on their way
    static constexpr int rhs_planes = Rhs ? Depth + 2 : 0;  ///< of b: one a level, two on their way
    static constexpr int slot = Warps * Rows * 32;          ///< lanes of a plane
    static constexpr int level = (2 * Warps + 2) * 32;      ///< lanes of the shared rows of a level
    static constexpr std::size_t lane = sizeof(T) * N;
    static constexpr std::size_t ring = lane * slot * planes, rhs_ring = lane * slot * rhs_planes;
    static constexpr std::size_t edges = lane * level * Depth * 2;
    static constexpr std::size_t shared = ring + rhs_ring + edges + sizeof(SplitBarrier::Word);
    static constexpr WindowShape window() {
        return {width, height, N, (Depth + 3) / 4 * 4, Depth, 32 / static_cast<int>(sizeof(T))};
    }
};

template <class T, int N, int Depth, int Warps, int Rows, bool Rhs>
class TemporalMarch {
    using Tile = TemporalTile<T, N, Depth, Warps, Rows, Rhs>;
    static constexpr int ahead = Tile::planes - 1;
    using P = Cells<T, N>;
    /// Which neighbours a step must look at twice: none, those across x faces, or all (planes at z faces, windows that hang
    /// over).
    enum class Rim { none, x, all };

 public:
    __device__ TemporalMarch(const TemporalArgs<T>& a, const LayerTargets<T>& to, std::byte* shared)
        : a_(a), to_(to), barrier_(shared + Tile::ring + Tile::rhs_ring + Tile::edges, Warps, a.arriving) {
        const int lane = threadIdx.x, warp = threadIdx.y;
        ring_ = reinterpret_cast<P*>(shared) + warp * Rows * 32 + lane;
        rhs_ring_ = reinterpret_cast<P*>(shared + Tile::ring) + warp * Rows * 32 + lane;
        // [parity][level][row below the window, first and last row of each warp, row above the window][lane]
        edge_ = reinterpret_cast<P*>(shared + Tile::ring + Tile::rhs_ring) + warp * 64 + lane;
    }

    __device__ void run(const Segment& s) {
        const int warp = threadIdx.y;
        // Lanes and warps that border on another window take its cells for their neighbours: their rim, which is lost anyway.
        const int lanes = 32 / s.across, warps = Warps / s.up;
        const Window& w = s.windows[warp / warps * s.across + threadIdx.x / lanes];
        x_ = w.x + threadIdx.x % lanes * N;
        y_ = w.y + warp % warps * Rows;
        const int x_last = (a_.n[0] + a_.reach[0] - 1) / N * N, y_last = a_.n[1] + a_.reach[1] - 1;
        present_ = x_ <= x_last && w.x_lo < w.x_hi ? max(0, min(Rows, y_last - y_ + 1)) : 0;
        valid_ = x_ < w.x_lo ? 0 : min(w.x_hi - x_, N);
        rows_ = 0;
#pragma unroll
        for (int r = 0; r < Rows; ++r) rows_ |= (y_ + r >= w.y_lo && y_ + r < w.y_hi) ? 1u << r : 0u;
        const unsigned at_faces = rows_at_faces<Rows>(to_, a_.n, x_, y_, valid_, rows_);
        rows_ |= at_faces << Rows;
        if (plain_rows<N, Rows>(to_, a_.n, at_faces, x_, valid_)) rows_ |= plain;
        const int begin = a_.dirichlet[4] ? max(0, s.z_lo - Depth) : s.z_lo - Depth;
        const int end = s.z_hi + Depth;
        load_end_ = a_.dirichlet[5] ? min(a_.n[2], end) : end;
        z_lo_ = s.z_lo;
        const Index column = y_ * a_.pitch + x_;
        from_ = a_.u + begin * a_.plane + column;
        out_ = a_.out + (begin - Depth) * a_.plane + column;
        slot_ = rhs_slot_ = 0;
        fill_ = ahead;
        // Below and above the window nobody computes: there the face's value stands, or what does not matter.
        if (warp == 0 && a_.dirichlet[2] && w.y == 0) fill_edges(0, a_.face[2]);
        if (warp == Warps - 1 && a_.dirichlet[3] && w.y + Tile::height == a_.n[1]) fill_edges(3 * 32, a_.face[3]);
        load_field(begin, 0);
        copy_commit();
        load_field(begin + 1, 1);
        load_rhs(begin, 0);  // always the plane before the last one of u
        copy_commit();
#pragma unroll
        for (int l = 0; l < Depth; ++l) {
#pragma unroll
            for (int r = 0; r < Rows; ++r) value_[l][0][r] = value_[l][1][r] = P{};
        }
        bool overhangs = false, x_rim = false;
        for (int i = 0; i < s.count(); ++i) {
            const Window& each = s.windows[i];
            overhangs |= a_.dirichlet[3] && each.y + Tile::height / s.up > a_.n[1];
            x_rim |= (a_.dirichlet[0] && each.x <= 0) || (a_.dirichlet[1] && each.x + Tile::width / s.across >= a_.n[0]);
        }
        const auto rim = [&](int k) {
            if (overhangs || (a_.dirichlet[4] && k <= Depth) || (a_.dirichlet[5] && k >= a_.n[2])) return Rim::all;
            return x_rim ? Rim::x : Rim::none;
        };
        barrier_.arrive();
        for (int k = begin; k < end; k += 2) {
            any_step<0>(k, rim(k));
            if (k + 1 < end) any_step<1>(k + 1, rim(k + 1));
        }
        barrier_.wait();
        copy_wait<0>();
    }

 private:
    __device__ void fill_edges(int at, T value) {
        for (int i = 0; i < 2 * Depth; ++i) edge_[i * Tile::level + at] = Cells<T, N>::all(value);
    }

    /// Puts plane z on its way; each thread copies just the cells that it reads itself.
    __device__ void load_field(int z, int slot) {
        if (z < load_end_) {
#pragma unroll
            for (int r = 0; r < Rows; ++r) copy_async(ring_ + slot * Tile::slot + r * 32, from_ + r * a_.pitch, r < present_);
        }
        from_ += a_.plane;
    }
    __device__ void load_rhs(int z, int slot) {
        if constexpr (Rhs) {
            if (z < load_end_) {
                const T* const from = reinterpret_cast<const T*>(reinterpret_cast<const char*>(from_) + a_.to_rhs);
#pragma unroll
                for (int r = 0; r < Rows; ++r)
                    copy_async(rhs_ring_ + slot * Tile::slot + r * 32, from + r * a_.pitch, r < present_);
            }
        }
    }

    template <int Parity>
    __device__ __forceinline__ void any_step(int k, Rim rim) {
        if (rim == Rim::none) return step<Parity, Rim::none>(k);
        if (rim == Rim::x) return step<Parity, Rim::x>(k);
        step<Parity, Rim::all>(k);
    }

    template <int Parity, Rim rim>
    __device__ __forceinline__ void step(int k) {
        // The thread's own copies: its own wait is enough. The slots that are filled now it has read in the step before: u's held
        // plane k - 1, b's plane k - 1 - Depth, which the last level has passed. b is first needed a step later than u.
        static_assert(ahead == 2);
        static_assert(5 * Rows < 32, "rows_");
        copy_wait<1>();
        load_field(k + 2, fill_);
        const int rhs_next = rhs_slot_ + 1 == Tile::rhs_planes ? 0 : rhs_slot_ + 1;
        load_rhs(k + 1, rhs_next);
        copy_commit();
        P fresh[Rows];
#pragma unroll
        for (int r = 0; r < Rows; ++r) fresh[r] = ring_[slot_ * Tile::slot + r * 32];
        fill_ = slot_;
        slot_ = slot_ + 1 == Tile::planes ? 0 : slot_ + 1;
        // Everybody's rows of the previous step are in place. And everybody has read those of the step before it, which this step
        // overwrites: each warp arrives behind its reads.
        barrier_.wait();
#pragma unroll
        for (int l = 0; l < Depth; ++l) advance_level<Parity, rim>(l, k - 1 - l, fresh);
        if constexpr (Rhs) rhs_slot_ = rhs_next;
#pragma unroll
        for (int l = 0; l < Depth; ++l) {
            edge_[(Parity * Depth + l) * Tile::level + 32] = value_[l][1 - Parity][0];
            edge_[(Parity * Depth + l) * Tile::level + 64] = value_[l][1 - Parity][Rows - 1];
        }
        barrier_.arrive();
        if (k - Depth >= z_lo_ && valid_ > 0) {
            store(fresh);
            const unsigned at_faces = opaque((rows_ & ~plain) >> Rows);
            if (at_faces != 0) {
                if ((rows_ & plain) != 0) {
                    push_plain_rows(to_, at_faces, out_, a_.pitch, fresh);
                } else {
                    push_layer_rows(to_, a_.n, at_faces, x_, y_, k - Depth, valid_, fresh);
                }
            }
        }
        out_ += a_.plane;
    }

    /// From level l at planes z - 1 (value_[l][1 - Parity]), z (value_[l][Parity]) and z + 1 (`fresh`) to level l + 1 at plane z,
    /// which `fresh` then holds.
    template <int Parity, Rim rim>
    __device__ __forceinline__ void advance_level(int l, int z, P (&fresh)[Rows]) {
        const P* const edge = edge_ + ((1 - Parity) * Depth + l) * Tile::level;
        const P below = edge[0], above = edge[3 * 32];
        int rhs_slot = 0;
        if constexpr (Rhs) {
            rhs_slot = rhs_slot_ - 1 - l;
            if (rhs_slot < 0) rhs_slot += Tile::rhs_planes;
        }
        P next[Rows];
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            const P& centre = value_[l][Parity][r];
            const P ym = r == 0 ? below : value_[l][Parity][r == 0 ? 0 : r - 1];
            P yp = r == Rows - 1 ? above : value_[l][Parity][r == Rows - 1 ? r : r + 1];
            P zm = value_[l][1 - Parity][r];
            P zp = fresh[r];
            T left = __shfl_up_sync(~0u, centre.v[N - 1], 1);
            T right = __shfl_down_sync(~0u, centre.v[0], 1);
            if constexpr (rim != Rim::none) {
                if (a_.dirichlet[0] && x_ == 0) left = a_.face[0];
            }
            if constexpr (rim == Rim::all) {
                if (a_.dirichlet[3] && y_ + r == a_.n[1] - 1) yp = P::all(a_.face[3]);
                if (a_.dirichlet[4] && z == 0) zm = P::all(a_.face[4]);
                if (a_.dirichlet[5] && z == a_.n[2] - 1) zp = P::all(a_.face[5]);
            }
            P b;
            if constexpr (Rhs) b = rhs_ring_[rhs_slot * Tile::slot + r * 32];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                const T xm = i == 0 ? left : centre.v[i == 0 ? 0 : i - 1];
                T xp = i == N - 1 ? right : centre.v[i == N - 1 ? i : i + 1];
                if constexpr (rim != Rim::none) {
                    if (a_.dirichlet[1] && x_ + i == a_.n[0] - 1) xp = a_.face[1];
                }
                T sum;
                if constexpr (Rhs) {
                    sum = x_part(a_.cx, xm, xp, b.v[i]);
                } else {
                    sum = x_part(a_.cx, xm, xp);
                }
                next[r].v[i] = yz_part(a_.cy, a_.cz, sum, ym.v[i], yp.v[i], zm.v[i], zp.v[i]);
            }
        }
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            value_[l][1 - Parity][r] = fresh[r];
            fresh[r] = next[r];
        }
    }

    __device__ void store(const P (&cells)[Rows]) const {
        if (valid_ == N && (rows_ & all_rows) == all_rows) {
#pragma unroll
            for (int r = 0; r < Rows; ++r) *reinterpret_cast<P*>(out_ + r * a_.pitch) = cells[r];
            return;
        }
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            if ((rows_ >> r & 1) != 0) store_cells(out_ + r * a_.pitch, cells[r], valid_);
        }
    }

    static constexpr unsigned all_rows = (1u << Rows) - 1, plain = 1u << 31;
    const TemporalArgs<T>& a_;
    const LayerTargets<T>& to_;
    SplitBarrier barrier_;
    P *ring_, *rhs_ring_, *edge_;  ///< this lane's place in its warp's rows
    const T* from_;                ///< of the next plane to load
    T* out_;                       ///< of the plane that the last level is at
    int x_, y_;                    ///< first cell of the lane, in the warp's first row
    int present_;                  ///< rows that exist in memory
    int valid_;                    ///< cells of the lane that are stored
    unsigned rows_;                ///< bits of those that are stored, above them rows_at_faces, and plain_rows
    int z_lo_, load_end_, slot_, fill_, rhs_slot_;
    P value_[Depth][2][Rows];  ///< by level and parity of the step: the two newest planes
};

}  // namespace jacobi::cuda
