// Vectors of the widest kind that the including translation unit is compiled for. Everything has internal linkage on
// purpose: see sweep_isa.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

// Every kind has left_of(left, centre, p) and right_of(centre, right, p): the vectors one cell before and one after the one at p,
// which is `centre`, with `left` and `right` the whole vectors beside it. Two loads, or shifts where they are cheaper.

/// One lane: the portable path and the ends of rows. __builtin_fma is hardware where the unit is compiled for it, else libm's.
template <class T>
struct Scalar {
    static constexpr std::int64_t lanes = 1;
    T v;
    static Scalar load(const T* p) { return {*p}; }
    static Scalar all(T x) { return {x}; }
    void store(T* p) const { *p = v; }
    void stream(T* p) const { *p = v; }
    friend Scalar operator+(Scalar a, Scalar b) { return {a.v + b.v}; }
    friend Scalar operator*(Scalar a, Scalar b) { return {a.v * b.v}; }
};
template <class T>
Scalar<T> left_of(Scalar<T>, Scalar<T>, const T* p) {
    return {p[-1]};
}
template <class T>
Scalar<T> right_of(Scalar<T>, Scalar<T>, const T* p) {
    return {p[1]};
}
inline Scalar<double> fma(Scalar<double> a, Scalar<double> b, Scalar<double> c) { return {__builtin_fma(a.v, b.v, c.v)}; }
inline Scalar<float> fma(Scalar<float> a, Scalar<float> b, Scalar<float> c) { return {__builtin_fmaf(a.v, b.v, c.v)}; }

template <class T>
struct Widest {
    using type = Scalar<T>;
};

#if defined(__AVX512F__)
struct Vector64d {
    static constexpr std::int64_t lanes = 8;
    __m512d v;
    static Vector64d load(const double* p) { return {_mm512_loadu_pd(p)}; }
    static Vector64d all(double x) { return {_mm512_set1_pd(x)}; }
    void store(double* p) const { _mm512_storeu_pd(p, v); }
    void stream(double* p) const { _mm512_stream_pd(p, v); }
    friend Vector64d operator+(Vector64d a, Vector64d b) { return {_mm512_add_pd(a.v, b.v)}; }
    friend Vector64d operator*(Vector64d a, Vector64d b) { return {_mm512_mul_pd(a.v, b.v)}; }
};
inline Vector64d left_of(Vector64d left, Vector64d centre, const double*) {
    return {_mm512_castsi512_pd(_mm512_maskz_alignr_epi64(0xff, _mm512_castpd_si512(centre.v), _mm512_castpd_si512(left.v), 7))};
}
inline Vector64d right_of(Vector64d centre, Vector64d right, const double*) {
    return {_mm512_castsi512_pd(_mm512_maskz_alignr_epi64(0xff, _mm512_castpd_si512(right.v), _mm512_castpd_si512(centre.v), 1))};
}
inline Vector64d fma(Vector64d a, Vector64d b, Vector64d c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
struct Vector64f {
    static constexpr std::int64_t lanes = 16;
    __m512 v;
    static Vector64f load(const float* p) { return {_mm512_loadu_ps(p)}; }
    static Vector64f all(float x) { return {_mm512_set1_ps(x)}; }
    void store(float* p) const { _mm512_storeu_ps(p, v); }
    void stream(float* p) const { _mm512_stream_ps(p, v); }
    friend Vector64f operator+(Vector64f a, Vector64f b) { return {_mm512_add_ps(a.v, b.v)}; }
    friend Vector64f operator*(Vector64f a, Vector64f b) { return {_mm512_mul_ps(a.v, b.v)}; }
};
inline Vector64f left_of(Vector64f left, Vector64f centre, const float*) {
    return {
        _mm512_castsi512_ps(_mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(centre.v), _mm512_castps_si512(left.v), 15))};
}
inline Vector64f right_of(Vector64f centre, Vector64f right, const float*) {
    return {
        _mm512_castsi512_ps(_mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(right.v), _mm512_castps_si512(centre.v), 1))};
}
inline Vector64f fma(Vector64f a, Vector64f b, Vector64f c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
template <>
struct Widest<double> {
    using type = Vector64d;
};
template <>
struct Widest<float> {
    using type = Vector64f;
};
#elif defined(__AVX2__) && defined(__FMA__)
struct Vector32d {
    static constexpr std::int64_t lanes = 4;
    __m256d v;
    static Vector32d load(const double* p) { return {_mm256_loadu_pd(p)}; }
    static Vector32d all(double x) { return {_mm256_set1_pd(x)}; }
    void store(double* p) const { _mm256_storeu_pd(p, v); }
    void stream(double* p) const { _mm256_stream_pd(p, v); }
    friend Vector32d operator+(Vector32d a, Vector32d b) { return {_mm256_add_pd(a.v, b.v)}; }
    friend Vector32d operator*(Vector32d a, Vector32d b) { return {_mm256_mul_pd(a.v, b.v)}; }
};
inline Vector32d left_of(Vector32d, Vector32d, const double* p) { return Vector32d::load(p - 1); }
inline Vector32d right_of(Vector32d, Vector32d, const double* p) { return Vector32d::load(p + 1); }
inline Vector32d fma(Vector32d a, Vector32d b, Vector32d c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
struct Vector32f {
    static constexpr std::int64_t lanes = 8;
    __m256 v;
    static Vector32f load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static Vector32f all(float x) { return {_mm256_set1_ps(x)}; }
    void store(float* p) const { _mm256_storeu_ps(p, v); }
    void stream(float* p) const { _mm256_stream_ps(p, v); }
    friend Vector32f operator+(Vector32f a, Vector32f b) { return {_mm256_add_ps(a.v, b.v)}; }
    friend Vector32f operator*(Vector32f a, Vector32f b) { return {_mm256_mul_ps(a.v, b.v)}; }
};
inline Vector32f left_of(Vector32f, Vector32f, const float* p) { return Vector32f::load(p - 1); }
inline Vector32f right_of(Vector32f, Vector32f, const float* p) { return Vector32f::load(p + 1); }
inline Vector32f fma(Vector32f a, Vector32f b, Vector32f c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
template <>
struct Widest<double> {
    using type = Vector32d;
};
template <>
struct Widest<float> {
    using type = Vector32f;
};
#endif

/// Makes streaming stores visible before any later store, such as the one that tells a neighbour of them.
inline void store_fence() {
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

}  // namespace
