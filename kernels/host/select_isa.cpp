#include <cstdlib>
#include <string_view>

#include "error.hpp"
#include "isa.hpp"
#include "sweep_isa.hpp"

namespace jacobi::host {
namespace {

#if defined(JACOBI_X86_KERNELS)
constexpr const char* names[] = {"avx512", "avx2", "portable"};  // the best first

bool runs(std::string_view isa) {
    __builtin_cpu_init();
    if (isa == "avx512") return __builtin_cpu_supports("avx512f") != 0;
    if (isa == "avx2") return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return isa == "portable";
}

template <class T>
const IsaKernels<T>& kernels_of(std::string_view isa) {
    return isa == "avx512" ? avx512::kernels(T()) : isa == "avx2" ? avx2::kernels(T()) : portable::kernels(T());
}
#else
constexpr const char* names[] = {"portable"};

bool runs(std::string_view isa) { return isa == "portable"; }

template <class T>
const IsaKernels<T>& kernels_of(std::string_view) {
    return portable::kernels(T());
}
#endif

/// The value of JACOBI_ISA; empty: none.
std::string_view asked() {
    const char* value = std::getenv("JACOBI_ISA");
    return value != nullptr ? value : "";
}

}  // namespace

std::string isa_fault() {
    if (asked().empty() || runs(asked())) return {};
    std::string usable;
    for (const char* name : names) {
        if (runs(name)) usable += (usable.empty() ? "" : ", ") + std::string(name);
    }
    return "environment variable JACOBI_ISA: expected an instruction set that this build has and this processor runs (" + usable +
           "), found " + std::string(asked());
}

template <class T>
const IsaKernels<T>& select_kernels() {
    const std::string fault = isa_fault();
    if (!fault.empty()) throw Error(fault, Exit::usage);
    if (!asked().empty()) return kernels_of<T>(asked());
    for (const char* name : names) {
        if (runs(name)) return kernels_of<T>(name);
    }
    return portable::kernels(T());
}

template const IsaKernels<double>& select_kernels<double>();
template const IsaKernels<float>& select_kernels<float>();

}  // namespace jacobi::host
