// HDF5 attributes in and out, and the set that makes a file a jacobi snapshot.
#pragma once

#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "snapshot.hpp"

namespace jacobi {

inline constexpr const char* snapshot_schema = "jacobi-snapshot/1";

/// Creates an attribute of `object`: text as a variable-length UTF-8 string (h5py reads it as str), numbers as 64-bit.
void put_attribute(hid_t object, const char* name, const std::string& text);
void put_attribute(hid_t object, const char* name, Index value);
void put_attribute(hid_t object, const char* name, double value);
void put_attribute(hid_t object, const char* name, const std::vector<Index>& values);
void put_attribute(hid_t object, const char* name, const std::vector<double>& values);

/// Creates a string attribute of fixed length in ASCII, the form that the VTKHDF specification asks for.
void put_ascii_attribute(hid_t object, const char* name, const std::string& text);

/// Writes all attributes of a snapshot on "/".
void put_snapshot_attributes(hid_t file, const SnapshotInfo& info);

/// Reads them back, all but the shape (grid.cells). Throws std::runtime_error naming an attribute that is missing or unusable.
SnapshotInfo get_snapshot_attributes(hid_t file);

}  // namespace jacobi
