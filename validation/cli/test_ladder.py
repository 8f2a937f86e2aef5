"""scripts/ladder on the host back end: the table, its JSON, and what it says of what cannot be had."""
import json
import re
import signal
import sys

import pytest
from jobs import interrupted
from programs import BUILD, ROOT, run

RUNGS = ["barrier", "event", "stream", "flag", "persistent"]


def ladder(*arguments, cwd, status=0):
    return run([ROOT / "scripts" / "ladder", "--backend", "host", "--build", BUILD, *arguments], cwd, status=status, timeout=120)


def test_every_rung_at_every_size(tmp_path):
    arguments = ["-np", "2", "--sizes", "6,8", "--sweeps", "20", "--overlap", "on", "--precision", "float", "--transports", "shm,ipc"]
    out, err = ladder(*arguments, "--json", "l.json", cwd=tmp_path)
    assert err == "" and out.startswith("2 ranks (1x1x2), float, axes not periodic\n")
    document = json.loads((tmp_path / "l.json").read_text(encoding="utf-8"))
    assert document["schema"] == "jacobi-ladder/1"
    rows = document["rows"]
    assert [(row["cells"], row["rung"]) for row in rows] == [([n] * 3, rung) for n in (6, 8) for rung in RUNGS]
    barrier = {row["edge"]: row["us"] for row in rows if row["rung"] == "barrier"}
    for row in rows:
        assert row["transport"] == "shm" and row["us"] > 0 and row["share"] > 0
        assert row["over_barrier"] == pytest.approx(barrier[row["edge"]] / row["us"]) and row["over_staged"] is None
    for rung in RUNGS:
        assert len(re.findall(rf"^[68]³ +shm +{rung} +[0-9.]+ +[0-9.]+ +yes +[0-9.]+$", out, re.MULTILINE)) == 2, out
    assert len(re.findall(r"^\[\d\] ipc: .*ipc", out, re.MULTILINE)) == 1, "refused once for all rungs and sizes"
    assert "staged MPI: no row" in out


def test_one_rank_is_its_own_neighbour(tmp_path):
    out, _ = ladder("--sizes", "6", "--sweeps", "5", "--overlap", "off", "--rungs", "barrier,flag", cwd=tmp_path)
    assert out.startswith("1 rank (1x1x1), double, axes periodic\n")
    assert re.findall(r"^6³ +(\w+) +(\w+)", out, re.MULTILINE) == [("self", "barrier"), ("self", "flag")]
    assert "[1] one rank: its edges are its own" in out


def test_staged_mpi_where_there_is_one(tmp_path):
    out, _ = ladder("-np", "2", "--sizes", "6", "--sweeps", "5", "--overlap", "off", "--rungs", "barrier", cwd=tmp_path)
    listing, _ = run([BUILD / "jacobi", "--list"], tmp_path)
    if re.search("^  mpi ", listing, re.MULTILINE):
        assert re.search(r"^6³ +mpi +barrier +[0-9.]+ +[0-9.]+ +no +1\.00 +1\.00$", out, re.MULTILINE), out
    else:
        assert "mpi: this build has no such transport" in out


def test_a_run_that_fails_is_no_refusal(tmp_path):
    """A broken deck: nothing that this machine or build lacks."""
    (tmp_path / "build" / "inputs").mkdir(parents=True)
    (tmp_path / "build" / "jacobi").symlink_to(BUILD / "jacobi")
    (tmp_path / "build" / "inputs" / "gpu-512.yaml").write_text("grid: {cells: [4, 4, 4]\n")
    out, _ = ladder("-np", "2", "--build", "build", "--sizes", "6", "--rungs", "flag", "--transports", "shm", cwd=tmp_path, status=1)
    assert re.search(r"^\[1\] 6³, shm, flag: exit status 2: ", out, re.MULTILINE), out


def test_back_end_of_the_machine(tmp_path):
    """Without --backend: CUDA where it can be used, else the host with one line that says why."""
    listing, _ = run([BUILD / "jacobi", "--list"], tmp_path)
    lack = re.findall("^  cuda +not usable: (.*)$", listing, re.MULTILINE)
    arguments = ["--sizes", "6", "--sweeps", "5", "--rungs", "flag", "--overlap", "on", "--json", "l.json"]
    out, err = run([ROOT / "scripts" / "ladder", "--build", BUILD, *arguments], tmp_path)
    assert err == "".join(f"ladder: back end host, since cuda is not usable: {reason}\n" for reason in lack)
    assert json.loads((tmp_path / "l.json").read_text())["backend"] == ("host" if lack else "cuda")


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(tmp_path, number, status):
    arguments = ["-np", "2", "--sizes", "8", "--sweeps", "1000000000", "--transports", "shm", "--rungs", "stream", "--json", "l.json"]
    command = [ROOT / "scripts" / "ladder", "--backend", "host", "--build", BUILD, *arguments]
    said = f"ladder: interrupted by {number.name} during 8³, shm, stream\n"
    assert interrupted(number, command, tmp_path, "comm.sync=stream") == (status, "", said)
    assert not (tmp_path / "l.json").exists()


def test_no_cuda(tmp_path):
    """Asked for where it cannot be had: the reason once, and no run."""
    listing, _ = run([BUILD / "jacobi", "--list"], tmp_path)
    lack = re.findall("^  cuda +not usable: (.*)$", listing, re.MULTILINE)
    if not lack:
        pytest.skip("CUDA can be used here")
    out, err = ladder("-np", "2", "--backend", "cuda", cwd=tmp_path, status=1)
    assert (out, err) == ("", f"ladder: --backend cuda: not usable: {lack[0]}\n")


def test_no_mpirun(tmp_path):
    _, err = run(["env", "PATH=/none", sys.executable, ROOT / "scripts" / "ladder", "--build", BUILD], tmp_path, status=1)
    assert err == "mpirun: No such file or directory\nladder: exit status 127: mpirun: No such file or directory\n"


def test_command_line(tmp_path):
    for arguments, text in [
        (["--rungs", "flag,semaphore"], "no such rung: 'semaphore' (there are barrier, "),
        (["--transports", "shm,tcp"], "no such transport: 'tcp' (there are auto, shm, "),
        (["--transports", ""], "no such transport: ''"),
        (["--sizes", "0"], "positive"),
        (["--sizes", "6,x"], "positive integers, not 'x'"),
        (["--sweeps", "0"], "--sweeps: sizes and counts are positive integers, not '0'"),
        (["--sweeps", "-1"], "--sweeps: sizes and counts are positive integers, not '-1'"),
        (["-np", "0"], "-np: sizes and counts are positive integers, not '0'"),
        (["-np", "4", "--split", "3,1,1"], "three factors of 4"),
        (["--build", "none"], "no program none/jacobi"),
        (["--json", "none/l.json"], "ladder: --json: none/l.json: there is no folder none\n"),
        (["--json", "."], "ladder: --json: . is a folder\n"),
        (["--json", "/proc/l.json"], "ladder: --json: /proc/l.json: "),
    ]:
        _, err = ladder(*arguments, cwd=tmp_path, status=2)
        assert text in err and "Traceback" not in err, err
