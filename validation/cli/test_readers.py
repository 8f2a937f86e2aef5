"""Snapshots open, as they are, in the readers that people use: h5py, xarray (h5netcdf) and VTK's (ParaView's) VTKHDF reader.

The field tells its axes apart: unequal counts and lengths, another mode on each axis, one axis periodic.
"""
import h5py
import numpy as np
import pytest
import xarray
from programs import jacobi, reference
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

CELLS = (7, 5, 4)  # x, y, z
LENGTH = (1.0, 2.0, 0.5)
DECK = """\
grid: {cells: [7, 5, 4], length: [1, 2, 0.5], periodic: [false, true, false]}
problem: {kind: eigenmode, mode: [2, 1, 3]}
solver: {iterations: 0, precision: PRECISION}
output: {file: u.vtkhdf, compression: COMPRESSION}
"""

x, y, z = (np.arange(n) for n in CELLS)
COORDINATES = {"x": (x + 1) * LENGTH[0] / (CELLS[0] + 1), "y": y * LENGTH[1] / CELLS[1], "z": (z + 1) * LENGTH[2] / (CELLS[2] + 1)}
FIELD = (
    np.sin(np.pi * 3 * (z + 1) / (CELLS[2] + 1))[:, None, None]
    * np.sin(2 * np.pi * y / CELLS[1])[None, :, None]
    * np.sin(np.pi * 2 * (x + 1) / (CELLS[0] + 1))[None, None, :]
)


@pytest.fixture(scope="module", params=["reference", "reference compressed", "reference float", "jacobi", "jacobi compressed"])
def snapshot(request, tmp_path_factory):
    """A file, its value type, its bound on rounding errors and the number of ranks that wrote it."""
    folder = tmp_path_factory.mktemp("snapshot")
    kind = "float" if "float" in request.param else "double"
    deck = DECK.replace("PRECISION", kind).replace("COMPRESSION", "6" if "compressed" in request.param else "0")
    (folder / "deck.yaml").write_text(deck)
    ranks = 1
    if "jacobi" in request.param:
        ranks = 3
        jacobi(ranks, "deck.yaml", cwd=folder)
    else:
        reference("deck.yaml", "u.vtkhdf", cwd=folder)
    return folder / "u.vtkhdf", {"double": "<f8", "float": "<f4"}[kind], {"double": 1e-15, "float": 1e-7}[kind], ranks


def test_h5py(snapshot):
    path, dtype, bound, ranks = snapshot
    with h5py.File(path, "r") as file:
        assert file["u"].dtype == np.dtype(dtype)
        np.testing.assert_allclose(file["u"][()], FIELD, rtol=0, atol=bound)
        assert file["u"] == file["VTKHDF/PointData/u"], "a hard link, not a copy"
        assert file.attrs["schema"] == "jacobi-snapshot/1"
        assert file.attrs["iteration"] == 0
        assert file.attrs["residual_max"] > 0
        assert len(file.attrs["digest"]) == 16 and int(file.attrs["digest"], 16) > 0
        assert file.attrs["precision"] == {"<f8": "double", "<f4": "float"}[dtype]
        assert "kind: eigenmode" in file.attrs["deck"]
        assert file.attrs["version"]
        assert isinstance(file.attrs["git"], str)
        assert file.attrs["ranks"] == ranks
        assert np.prod(file.attrs["decomposition"]) == ranks and file.attrs["decomposition"].shape == (3,)
        assert isinstance(file.attrs["transports"], str)
        assert tuple(file.attrs["length"]) == LENGTH
        assert tuple(file.attrs["periodic"]) == (0, 1, 0)


def test_vtkhdf_group(snapshot):
    with h5py.File(snapshot[0], "r") as file:
        attributes = file["VTKHDF"].attrs
        assert attributes["Version"].tolist() == [1, 0]
        assert attributes["Type"] == b"ImageData"
        kind = attributes.get_id("Type").get_type()
        assert not kind.is_variable_str() and kind.get_cset() == h5py.h5t.CSET_ASCII, "fixed-length ASCII, as the format says"
        assert attributes["WholeExtent"].tolist() == [0, 6, 0, 4, 0, 3]
        np.testing.assert_allclose(attributes["Origin"], [1 / 8, 0, 0.1])
        np.testing.assert_allclose(attributes["Spacing"], [1 / 8, 0.4, 0.1])
        assert attributes["Direction"].tolist() == np.eye(3).ravel().tolist()


def test_xarray(snapshot):
    path, _, bound, _ = snapshot
    with xarray.open_dataset(path, engine="h5netcdf") as dataset:
        assert dataset["u"].dims == ("z", "y", "x")
        for axis, expected in COORDINATES.items():
            np.testing.assert_allclose(dataset["u"].coords[axis], expected, rtol=1e-15)
        point = dataset["u"].sel(x=COORDINATES["x"][1], y=COORDINATES["y"][4], z=COORDINATES["z"][2], method="nearest")
        assert float(point) == pytest.approx(FIELD[2, 4, 1], abs=bound)
        assert dataset.attrs["schema"] == "jacobi-snapshot/1"


def test_vtk(snapshot):
    path, _, bound, _ = snapshot
    reader = vtkHDFReader()
    assert reader.CanReadFile(str(path))
    reader.SetFileName(str(path))
    reader.Update()
    image = reader.GetOutputDataObject(0)
    assert image.GetDimensions() == CELLS
    np.testing.assert_allclose(image.GetOrigin(), [COORDINATES[axis][0] for axis in "xyz"])
    np.testing.assert_allclose(image.GetBounds()[1::2], [COORDINATES[axis][-1] for axis in "xyz"])
    values = vtk_to_numpy(image.GetPointData().GetArray("u"))  # VTK's points run along x first
    np.testing.assert_allclose(values.reshape(FIELD.shape), FIELD, rtol=0, atol=bound)
