"""Ranks on several nodes: fake ones with host names, boot ids and shared memory of their own, and pretended ones."""
import pathlib
import re
import subprocess

import pytest
from mounts import NAMESPACE, require_mounts
from programs import BUILD, jacobi, jacobi_alone, printed_digest, read_report, run, sets

FAKERSH = pathlib.Path(__file__).with_name("fakersh")
DECK = """\
grid: {cells: [12, 11, 10], periodic: [true, false, true]}
problem: {kind: random, seed: 3, faces: {y-: 0.5, y+: -1}}
solver: {iterations: 30, check_every: 7, temporal_depth: 1}
comm: {halo_depth: 1}
device: {backend: host}
verify: {kind: reference}
report: {file: u.json}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deck.yaml").write_text(DECK)
    return tmp_path


@pytest.fixture
def digest(folder):
    """Of the deck's field, as one rank computes it."""
    out, _ = jacobi_alone("deck.yaml", *sets("report.file=one.json"), cwd=folder)
    return printed_digest(out)


def on_fake_nodes(folder, hosts, ranks, *arguments, mpirun=()):
    """Runs jacobi under an mpirun whose daemons are on fake nodes; skips where the kernel gives no namespaces."""
    require_mounts(folder)
    try:
        tried = subprocess.run([*NAMESPACE, "--uts", "--ipc", "hostname", "fake"], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if tried.returncode != 0 or "--map-root-user" in NAMESPACE:
        pytest.skip(f"host names in namespaces of their own are not allowed here: {tried.stderr.strip()}")
    local = ["--mca", "oob_tcp_if_include", "lo", "--mca", "btl_tcp_if_include", "lo", "--mca", "btl", "tcp,vader,self"]
    command = ["mpirun", "--mca", "plm_rsh_agent", FAKERSH, *local, "--host", hosts, *mpirun, "-np", ranks]
    return run([*command, BUILD / "jacobi", *arguments], folder, timeout=90)


def by_transport(report):
    """Pairs of distinct ranks, by transport."""
    pairs = {}
    for edge in report["edges"]:
        if edge["rank"] != edge["neighbour"]:
            pairs.setdefault(edge["transport"], set()).add((edge["rank"], edge["neighbour"]))
    return pairs


@pytest.mark.parametrize("sync, overlap", [("auto", "true"), ("barrier", "false")])
def test_two_fake_nodes(folder, digest, sync, overlap):
    settings = sets(f"comm={{ranks: [1, 2, 2], sync: {sync}, overlap: {overlap}}}")
    out, _ = on_fake_nodes(folder, "nodea:2,nodeb:2", 4, "deck.yaml", *settings)
    report = read_report(folder / "u.json")
    assert printed_digest(out) == report["digest"] == digest and report["verification"]["passed"]
    assert report["nodes"] == 2 and "4 ranks on 2 nodes (nodea, nodeb)" in out
    assert [place["host"] for place in report["places"]] == ["nodea", "nodea", "nodeb", "nodeb"]
    # A node has two blocks that are neighbours along z: that axis is periodic, so they have two faces in common. Across y, one.
    assert by_transport(report) == {"shm": {(0, 1), (1, 0), (2, 3), (3, 2)}, "mpi": {(0, 2), (2, 0), (1, 3), (3, 1)}}
    assert sum(edge["transport"] == "mpi" for edge in report["edges"]) == 4
    assert all("another node" in edge["reason"] for edge in report["edges"] if edge["transport"] == "mpi")


def test_ranks_dealt_round_robin(folder, digest):
    """mpirun gives neighbouring ranks to different nodes: blocks are handed out so that a node's ranks have neighbouring ones."""
    settings = sets("comm.ranks=[1, 4, 1]")
    out, _ = on_fake_nodes(folder, "nodea:2,nodeb:2", 4, "deck.yaml", *settings, mpirun=["--map-by", "node"])
    report = read_report(folder / "u.json")
    assert printed_digest(out) == digest
    assert [place["host"] for place in report["places"]] == ["nodea", "nodeb", "nodea", "nodeb"]
    assert by_transport(report) == {"shm": {(0, 2), (2, 0), (1, 3), (3, 1)}, "mpi": {(2, 1), (1, 2)}}
    assert sorted((place["lo"][1], place["node"]) for place in report["places"]) == [(0, 0), (2, 0), (5, 1), (8, 1)]


def test_deep_halos_between_fake_nodes(folder, digest):
    """Edges and corners of blocks travel too, and each of four blocks meets another one in several directions."""
    on_fake_nodes(folder, "nodea:2,nodeb:2", 4, "deck.yaml", *sets("comm={ranks: [1, 2, 2], halo_depth: 3}"))
    report = read_report(folder / "u.json")
    assert report["digest"] == digest and report["halo_depth"] == 3
    directions = {edge["direction"] for edge in report["edges"] if edge["transport"] == "mpi"}
    assert {len(direction) // 2 for direction in directions} == {1, 2, 3}


@pytest.mark.parametrize("sync", ["event", "stream", "barrier"])
def test_pretended_nodes(folder, digest, sync):
    out, _ = jacobi(4, "deck.yaml", *sets("comm.virtual_nodes=2", f"comm.sync={sync}"), cwd=folder)
    report = read_report(folder / "u.json")
    assert printed_digest(out) == digest and report["nodes"] == 2 and report["verification"]["passed"]
    nodes = [place["node"] for place in report["places"]]
    assert nodes == [0, 0, 1, 1]
    pairs = by_transport(report)
    assert set(pairs) == {"shm", "mpi"}
    for transport, of_transport in pairs.items():
        assert {nodes[a] == nodes[b] for a, b in of_transport} == {transport == "shm"}


def test_forced_messages(folder, digest):
    out, _ = jacobi(2, "deck.yaml", *sets("comm={transport: mpi, ranks: [1, 1, 2]}"), cwd=folder)
    report = read_report(folder / "u.json")
    assert printed_digest(out) == digest and report["nodes"] == 1
    assert {(edge["direction"][0], edge["transport"]) for edge in report["edges"]} == {("x", "self"), ("z", "mpi")}
    face = 12 * 11 * 8
    assert report["transports"]["mpi"] == {"edges": 4, "bytes_per_sweep": 4.0 * face}
    assert report["sync"] == "event" and "messages" in report["sync_reason"]
    assert re.search(r"^rung +event \(all halos between ranks travel as messages, [^;]*\), overlap$", out, re.MULTILINE), out
    assert re.search(r"^own memory +copy ", out, re.MULTILINE) and "peer memory" not in out
    assert re.search(r"^edges +4 mpi, 4 self; a sweep moves 4\.1 KiB mpi, ", out, re.MULTILINE)
    dry, _ = jacobi(2, "deck.yaml", "--dry-run", *sets("comm={transport: mpi, ranks: [1, 1, 2]}"), cwd=folder)
    assert re.search(rf"^ +0 +z\+ +1 +mpi +{face} +asked for; MPI", dry, re.MULTILINE)


@pytest.mark.parametrize("sync", ["flag", "persistent"])
@pytest.mark.parametrize("how", ["comm.transport=mpi", "comm.virtual_nodes=2"])
def test_kernels_cannot_wait_for_messages(folder, sync, how):
    settings = sets(how, f"comm.sync={sync}", "comm.force=true")
    _, err = jacobi(2, "deck.yaml", *settings, cwd=folder, status=1)
    assert re.search(f"^jacobi: comm.sync: {sync} cannot be used .*messages.*use sync: event", err, re.MULTILINE)


def test_memory_does_not_reach_another_node(folder):
    _, err = jacobi(2, "deck.yaml", *sets("comm.virtual_nodes=2", "comm.transport=shm"), cwd=folder, status=1)
    assert re.search(r"^  rank 0 \(\S+\) [xyz][-+] -> rank 1 \(\S+\): another node, which shm does not reach", err, re.MULTILINE)


def test_more_pretended_nodes_than_ranks(folder):
    out, err = jacobi(2, "deck.yaml", *sets("comm.virtual_nodes=3"), cwd=folder, status=2)
    assert out == "" and err.count("comm.virtual_nodes") == 1 and "3 pretended nodes" in err and "2 ranks" in err


def test_dry_run_over_messages(folder):
    """Nothing was received, and nothing waits to be."""
    out, err = jacobi(2, "deck.yaml", "--dry-run", *sets("comm.transport=mpi"), cwd=folder)
    assert err == "" and re.search(r"^ +0 +z\+ +1 +mpi ", out, re.MULTILINE), out
