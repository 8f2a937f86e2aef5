// What a verification ends with.
#pragma once

namespace jacobi {

enum class Verdict { pass, fail, skipped };

}  // namespace jacobi
