// Ownership of HDF5 objects, and HDF5's error stack as one line.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace jacobi {

/// Stops HDF5 from printing its error stacks: every failure is reported by this program, in one line. Cheap, may be repeated.
void silence_hdf5();

/// Throws std::runtime_error "CALL: cause" when `status` is negative; the cause is the innermost entry of HDF5's error stack.
void check_hdf5(hid_t status, const char* call);

/// Owns one HDF5 identifier and closes it with the function that its kind needs. Closing parallel files and objects in them
/// is collective, so ranks must destroy these handles in the same order.
class Hdf5Handle {
 public:
    using Close = herr_t (*)(hid_t);

    Hdf5Handle() = default;
    /// Takes over what `call` returned; throws as check_hdf5 does.
    Hdf5Handle(hid_t id, Close closer, const char* call) : id_(id), close_(closer) { check_hdf5(id, call); }
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5Handle() {
        if (id_ >= 0) close_(id_);
    }

    operator hid_t() const { return id_; }

    /// Closes now and throws where that fails: a file is complete only when its closing succeeded.
    void close(const char* call) { check_hdf5(close_(std::exchange(id_, H5I_INVALID_HID)), call); }

 private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

}  // namespace jacobi
