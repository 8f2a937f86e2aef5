// The one update of the seven-point Jacobi sweep, in the order that is a contract (kernels/README.md): whatever the tiling,
// decomposition or back end, a cell's bits depend only on this expression.
#pragma once

#include <cmath>

#include "geometry.hpp"

namespace jacobi {

/// a*b + c rounded once, on the host by hardware FMA where the file is compiled for it and by libm's correct fma elsewhere.
JACOBI_HD inline double fma_once(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}
JACOBI_HD inline float fma_once(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

/// Innermost term without a right-hand side; with one it is fma(cx, xm + xp, b).
template <class T>
JACOBI_HD inline T x_part(T cx, T xm, T xp) {
    return cx * (xm + xp);
}
template <class T>
JACOBI_HD inline T x_part(T cx, T xm, T xp, T b) {
    return fma_once(cx, xm + xp, b);
}

/// The rest of the update; z+ enters last, so a kernel that marches in z keeps two live values a cell.
template <class T>
JACOBI_HD inline T yz_part(T cy, T cz, T x, T ym, T yp, T zm, T zp) {
    return fma_once(cz, zp, fma_once(cz, zm, fma_once(cy, ym + yp, x)));
}

}  // namespace jacobi
