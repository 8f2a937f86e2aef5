// Ownership of HDF5 objects, and HDF5's error stack as one line.
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace jacobi {

/// Prepares HDF5 before its first call; cheap, may be repeated. It prints no error stacks: every failure is reported by this
/// program, in one line. And it has no exit handler, which would close, and crash over, what Hdf5Writing has left open.
void prepare_hdf5();

/// "CALL: cause", of a call of HDF5 that failed.
class Hdf5Error : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

/// Throws Hdf5Error when `status` is negative; the cause is the innermost entry of HDF5's error stack.
void check_hdf5(hid_t status, const char* call);

/// While it lives, this process writes a file, and a call that fails leaves HDF5 as it is for good. Ranks fail at different
/// places: one in a write of its own, others behind it in a barrier of HDF5 that it will never come to. Closing a file is
/// collective, so it would not end either; what can be closed keeps its unwritten part, over which HDF5 crashes when
/// MPI_Finalize shuts it down. So no handle is closed any more, and the one way on is to end the job without MPI_Finalize.
class Hdf5Writing {
 public:
    Hdf5Writing();
    ~Hdf5Writing();
    Hdf5Writing(const Hdf5Writing&) = delete;
    Hdf5Writing& operator=(const Hdf5Writing&) = delete;
};

/// Has that happened?
bool hdf5_is_broken();

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
        if (id_ >= 0 && !hdf5_is_broken()) close_(id_);
    }

    operator hid_t() const { return id_; }

    /// Closes now and throws where that fails: a file is complete only when its closing succeeded.
    void close(const char* call) { check_hdf5(close_(std::exchange(id_, H5I_INVALID_HID)), call); }

 private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

}  // namespace jacobi
