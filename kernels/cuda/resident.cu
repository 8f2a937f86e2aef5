// The CUDA back end: the kernels of persistent passes whose tiles stay on the chip.
#include "resident.cuh"

#include "backend_state.cuh"

namespace jacobi::cuda {

namespace {

template <class T, bool Rhs, int Rows>
ResidentKernel kernel_of() {
    return {Rows, reinterpret_cast<const void*>(resident_kernel<T, Rhs, Rows>)};
}

template <class T, bool Rhs>
std::vector<ResidentKernel> kernels_of() {
    return {kernel_of<T, Rhs, 1>(), kernel_of<T, Rhs, 2>(), kernel_of<T, Rhs, resident_rows>()};
}

}  // namespace

/// Those with few cells a thread first: they have the most threads for a tile.
template <class T>
std::vector<ResidentKernel> CudaBackend<T>::resident_kernels() const {
    return rhs_.get() != nullptr ? kernels_of<T, true>() : kernels_of<T, false>();
}

template std::vector<ResidentKernel> CudaBackend<double>::resident_kernels() const;
template std::vector<ResidentKernel> CudaBackend<float>::resident_kernels() const;

}  // namespace jacobi::cuda
