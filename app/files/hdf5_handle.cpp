#include "hdf5_handle.hpp"

#include <algorithm>

namespace jacobi {
namespace {

bool writing = false;
bool broken = false;

herr_t take_innermost(unsigned number, const H5E_error2_t* entry, void* text) {
    if (number == 0 && entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
    return 0;
}

}  // namespace

void prepare_hdf5() {
    H5dont_atexit();  // counts before the library's first use only
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void check_hdf5(hid_t status, const char* call) {
    if (status >= 0) return;
    broken = broken || writing;
    std::string cause = "no cause given";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &cause);
    std::replace(cause.begin(), cause.end(), '\n', ' ');
    if (cause.find("lock") != std::string::npos) cause += " (on a file system without locks set HDF5_USE_FILE_LOCKING=FALSE)";
    throw Hdf5Error(std::string(call) + ": " + cause);
}

Hdf5Writing::Hdf5Writing() { writing = true; }
Hdf5Writing::~Hdf5Writing() { writing = false; }
bool hdf5_is_broken() { return broken; }

}  // namespace jacobi
