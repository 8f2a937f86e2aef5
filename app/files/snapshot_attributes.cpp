#include "snapshot_attributes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace jacobi {
namespace {

void put(hid_t object, const char* name, hid_t stored, hid_t memory, hid_t space, const void* values) {
    const Hdf5Handle attribute(H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "H5Acreate");
    check_hdf5(H5Awrite(attribute, memory, values), "H5Awrite");
}

void put_text(hid_t object, const char* name, std::size_t size, H5T_cset_t cset, const void* text) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
    check_hdf5(H5Tset_size(type, size), "H5Tset_size");
    check_hdf5(H5Tset_cset(type, cset), "H5Tset_cset");
    check_hdf5(H5Tset_strpad(type, size == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD), "H5Tset_strpad");
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
    put(object, name, type, type, space, text);
}

void put_numbers(hid_t object, const char* name, hid_t stored, hid_t memory, std::size_t count, const void* values) {
    const hsize_t extent = count;
    const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, "H5Screate_simple");
    put(object, name, stored, memory, space, values);
}

/// Opens an attribute that must hold `count` values of a class of types.
Hdf5Handle open(hid_t object, const char* name, H5T_class_t wanted, std::size_t count) {
    if (H5Aexists(object, name) <= 0) throw std::runtime_error(fmt::format("attribute {} is missing", name));
    Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "H5Aopen");
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose, "H5Aget_type");
    const Hdf5Handle space(H5Aget_space(attribute), H5Sclose, "H5Aget_space");
    if (H5Tget_class(type) != wanted || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count)) {
        throw std::runtime_error(fmt::format("attribute {} has an unexpected type or size", name));
    }
    return attribute;
}

std::string get_text(hid_t object, const char* name) {
    const Hdf5Handle attribute = open(object, name, H5T_STRING, 1);
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose, "H5Aget_type");
    if (H5Tis_variable_str(type) <= 0)
        throw std::runtime_error(fmt::format("attribute {} is not a variable-length string", name));
    char* value = nullptr;
    check_hdf5(H5Aread(attribute, type, &value), "H5Aread");
    std::string text = value == nullptr ? "" : value;
    H5free_memory(value);
    return text;
}

std::vector<Index> get_integers(hid_t object, const char* name, std::size_t count) {
    std::vector<Index> values(count);
    check_hdf5(H5Aread(open(object, name, H5T_INTEGER, count), H5T_NATIVE_INT64, values.data()), "H5Aread");
    return values;
}

std::vector<double> get_reals(hid_t object, const char* name, std::size_t count) {
    std::vector<double> values(count);
    check_hdf5(H5Aread(open(object, name, H5T_FLOAT, count), H5T_NATIVE_DOUBLE, values.data()), "H5Aread");
    return values;
}

}  // namespace

void put_attribute(hid_t object, const char* name, const std::string& text) {
    const char* value = text.c_str();
    put_text(object, name, H5T_VARIABLE, H5T_CSET_UTF8, &value);
}

void put_ascii_attribute(hid_t object, const char* name, const std::string& text) {
    put_text(object, name, text.size(), H5T_CSET_ASCII, text.data());
}

void put_attribute(hid_t object, const char* name, Index value) {
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
    put(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space, &value);
}

void put_attribute(hid_t object, const char* name, double value) {
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
    put(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, &value);
}

void put_attribute(hid_t object, const char* name, const std::vector<Index>& values) {
    put_numbers(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.size(), values.data());
}

void put_attribute(hid_t object, const char* name, const std::vector<double>& values) {
    put_numbers(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void put_snapshot_attributes(hid_t file, const SnapshotInfo& info) {
    const auto& periodic = info.grid.periodic;
    const auto& parts = info.decomposition;
    put_attribute(file, "schema", std::string(snapshot_schema));
    put_attribute(file, "iteration", info.iteration);
    put_attribute(file, "residual_max", info.residual_max);
    put_attribute(file, "digest", fmt::format("{:016x}", info.digest));
    put_attribute(file, "precision", std::string(info.precision == Precision::float64 ? "double" : "float"));
    put_attribute(file, "length", std::vector<double>(info.grid.length.begin(), info.grid.length.end()));
    put_attribute(file, "periodic", std::vector<Index>{periodic[0], periodic[1], periodic[2]});
    put_attribute(file, "deck", info.deck);
    put_attribute(file, "version", info.version);
    put_attribute(file, "git", info.git);
    put_attribute(file, "ranks", Index{info.ranks});
    put_attribute(file, "decomposition", std::vector<Index>{parts[0], parts[1], parts[2]});
    put_attribute(file, "transports", info.transports);
}

SnapshotInfo get_snapshot_attributes(hid_t file) {
    const std::string schema = get_text(file, "schema");
    if (schema != snapshot_schema) {
        throw std::runtime_error(fmt::format("schema is \"{}\", this program reads \"{}\"", schema, snapshot_schema));
    }
    SnapshotInfo info;
    const std::string precision = get_text(file, "precision");
    if (precision != "double" && precision != "float") {
        throw std::runtime_error(fmt::format("attribute precision is \"{}\", not double or float", precision));
    }
    info.precision = precision == "double" ? Precision::float64 : Precision::float32;

    const std::string digest = get_text(file, "digest");
    const auto [end, fault] = std::from_chars(digest.data(), digest.data() + digest.size(), info.digest, 16);
    if (fault != std::errc{} || end != digest.data() + digest.size() || digest.size() != 16) {
        throw std::runtime_error(fmt::format("attribute digest is \"{}\", not 16 hex digits", digest));
    }
    const auto length = get_reals(file, "length", 3);
    const auto periodic = get_integers(file, "periodic", 3);
    const auto parts = get_integers(file, "decomposition", 3);
    for (int a = 0; a < 3; ++a) {
        info.grid.length[a] = length[a];
        info.grid.periodic[a] = periodic[a] != 0;
        info.decomposition[a] = static_cast<int>(parts[a]);
    }
    info.iteration = get_integers(file, "iteration", 1)[0];
    info.residual_max = get_reals(file, "residual_max", 1)[0];
    info.ranks = static_cast<int>(get_integers(file, "ranks", 1)[0]);
    info.deck = get_text(file, "deck");
    info.version = get_text(file, "version");
    info.git = get_text(file, "git");
    info.transports = get_text(file, "transports");
    return info;
}

}  // namespace jacobi
