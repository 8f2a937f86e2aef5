#include <cstdlib>
#include <cstring>

#include "sweep_isa.hpp"

namespace jacobi::host {

template <class T>
const IsaKernels<T>& select_kernels() {
#if defined(JACOBI_X86_KERNELS)
    const char* asked = std::getenv("JACOBI_ISA");
    const auto allowed = [asked](const char* name, const char* above) {
        return asked == nullptr || std::strcmp(asked, name) == 0 || std::strcmp(asked, above) == 0;
    };
    __builtin_cpu_init();
    if (allowed("avx512", "avx512") && __builtin_cpu_supports("avx512f")) return avx512::kernels(T());
    if (allowed("avx2", "avx512") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::kernels(T());
#endif
    return portable::kernels(T());
}

template const IsaKernels<double>& select_kernels<double>();
template const IsaKernels<float>& select_kernels<float>();

}  // namespace jacobi::host
