// One cooperative kernel for many passes of blocks that fit on the chip: cells stay in registers, and only rims travel.
#pragma once

#include "resident_cells.cuh"
#include "resident_post.cuh"

namespace jacobi::cuda {

/// Faces' values never change: they stand where rims would be put, from the beginning.
template <class T>
__device__ inline void place_face_values(const PersistentArgs<T>& a, const ResidentPlace& place, const ResidentPart& part,
                                         const ResidentSeams<T>& seams, const TileRims& rims) {
    const T* const u = a.pass[0].u + place.y0 * a.pass[0].pitch + place.z0 * a.pass[0].plane;
    const auto pack = [&](int r, int k) {
        return load_pack<false>(u + max(0, part.valid > 0 ? part.pack * pack_cells<T> : 0) + r * a.pass[0].pitch +
                                k * a.pass[0].plane);
    };
    for (int parity = 0; parity < 2; ++parity) {
        for (int item = static_cast<int>(threadIdx.x); item < 2 * place.rows * place.planes;
             item += static_cast<int>(blockDim.x)) {
            const int f = item % 2, r = item / 2 % place.rows, k = item / 2 / place.rows;
            if ((a.to[0].connected >> f & 1u) != 0) continue;
            RowEnds<T>& ends = seams.end(parity, r, f == 0 ? 0 : seams.s.groups - 1)[k * seams.end_step()];
            (f == 0 ? ends.left : ends.right) = u[(f == 0 ? -1 : a.extent[0]) + r * a.pass[0].pitch + k * a.pass[0].plane];
        }
        for (int k = 0; k < place.planes; ++k) {
            Pack<T>* const edge = seams.edge(parity, part) + k * seams.edge_step();
            if (part.before && rims.from[2][0] == nullptr) edge[-seams.width()] = pack(-1, k);
            if (part.behind && rims.from[3][0] == nullptr) edge[2 * seams.width()] = pack(place.rows, k);
        }
    }
    for (int j = 0; j < part.rows; ++j) {
        if (rims.from[4][0] == nullptr) seams.under()[j * seams.kept_step()] = pack(part.r0 + j, -1);
        if (rims.from[5][0] == nullptr) seams.over()[j * seams.kept_step()] = pack(part.r0 + j, place.planes);
    }
}

/// Takes generation g of the cells that come across x faces, shared out over all threads. False: give up.
template <class T>
__device__ inline bool receive_ends(const PersistentArgs<T>& a, const ResidentPlace& place, const ResidentSeams<T>& seams,
                                    const TileRims& rims, Generation g) {
    const int parity = static_cast<int>(g & 1);
    for (int item = static_cast<int>(threadIdx.x); item < 2 * place.rows * place.planes; item += static_cast<int>(blockDim.x)) {
        const int f = item % 2, r = item / 2 % place.rows, k = item / 2 / place.rows;
        if (!rims.remote[f]) continue;
        RowEnds<T>& ends = seams.end(parity, r, f == 0 ? 0 : seams.s.groups - 1)[k * seams.end_step()];
        if (!receive_cell(rims.from[f][parity] + (k * a.extent[1] + r), f == 0 ? ends.left : ends.right, f, a.flags, g))
            return false;
    }
    return true;
}

/// Passes first, ..., first + passes - 1. All blocks must be resident (cooperative launch). A thread has `Rows` rows of a tile in
/// all its planes. The lowest plane is done last: what it needs of tiles below and above, and they of it, then has most of a pass
/// to travel; and so have rows before and behind, since planes come in the same order everywhere.
template <class T, bool Rhs, int Rows>
__global__ void __launch_bounds__(32 * resident_warps, 1)
    resident_kernel(const __grid_constant__ PersistentArgs<T> a, const ResidentShape s, const Generation first,
                    const Index passes) {
    extern __shared__ __align__(16) std::byte shared_memory[];
    __shared__ TileRims rims;
    constexpr int early = 4;  // planes 1, ..., early are exchanged amid a pass, the others at its end
    const ResidentPlace place = place_of_tile(a, static_cast<int>(blockIdx.x));
    const int planes = place.planes, thread = static_cast<int>(threadIdx.x);
    if (thread < face_count) find_mailboxes(rims, a, s, place.ty, place.tz, place.y0, place.z0, thread);
    const ResidentPart part(place, s, a.extent[0], pack_cells<T>, (a.to[0].connected & 3u) == 3u && !a.remote[0]);
    const ResidentSeams<T> seams(shared_memory, s);
    __syncthreads();
    const ResidentPost<T, Rows> post{rims, a.flags, part, seams, rim_line<T>(a.extent[0]) / 2, planes, a.extent[1]};
    ResidentCells<T, Rhs, Rows> own(a, place, part, seams, rims);
    const bool x_rims = rims.remote[0] || rims.remote[1];
    place_face_values(a, place, part, seams, rims);
    if (part.rows > 0) {
        const SeamPlaces<T> to(seams, part, static_cast<int>(first & 1));
#pragma unroll
        for (int k = 0; k < resident_planes; ++k) {
            if (k >= planes) break;
            own.load(k, a.pass[first & 1].u);
            own.tell(k, to);
        }
        post.send_planes(first, 0, planes);
        post.send_up(first);
        post.send_down(first);
    }
    const Generation end = first + passes;
    bool ok = true;
    for (Generation g = first; g < end; ++g) {
        if (x_rims) ok = ok && receive_ends(a, place, seams, rims, g);
        // Behind it: what the warps of this tile told each other of g. And they have read what they told of g - 1.
        if (__syncthreads_and(ok) == 0) return;
        if (part.rows == 0) continue;  // whole warps
        const bool more = g + 1 < end;
        const int parity = static_cast<int>(g & 1);
        const SeamPlaces<T> from(seams, part, parity), to(seams, part, parity ^ 1);
        ok = ok && post.receive_planes(g, 1, min(early, planes));
#pragma unroll
        for (int k = 1; k < resident_planes; ++k) {
            if ((k == 1 && planes <= early) || (k == early && planes > early)) ok = ok && post.receive_above(g);
            if (k == early + 1) {
                if (more) post.send_planes(g + 1, 1, early);
                ok = ok && post.receive_planes(g, early + 1, planes - early);
            }
            if (k >= planes) break;
            own.update(k, from, to);
        }
        if (more && planes > 1) post.send_up(g + 1);
        ok = ok && post.receive_below(g);
        own.update(0, from, to);
        if (more) {
            post.send_down(g + 1);
            if (planes == 1) post.send_up(g + 1);
            post.send_planes(g + 1, planes > early ? early + 1 : 1, planes > early ? planes - early : planes);
        }
    }
    // The batch's last generation goes where later kernels look for it. What is overwritten in other ranks' halos was read by
    // kernels that had ended before those ranks' tiles sent their first rims, which this tile has awaited.
    if (part.rows > 0) {
#pragma unroll
        for (int k = 0; k < resident_planes; ++k) {
            if (k >= planes) break;
            own.store(k, place, a.pass[(end - 1) & 1].out, a.to[end & 1]);
        }
    }
    if (__syncthreads_and(ok) == 0) return;
    if (thread == 0) announce_pass(a, place.ty, place.tz, end - 1);  // all rims are stored and all halos read
}

}  // namespace jacobi::cuda
