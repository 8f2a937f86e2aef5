"""What the program prints, where, and who: results on standard output, by rank 0 alone; nothing else on either stream."""
import os
import pty
import re
import subprocess

import pytest
from programs import BUILD, environment, jacobi, jacobi_alone, printed_digest, read_report, run, sets

FOM = r"^Figure of Merit \(FOM\): (\d+\.\d{3}) MLUP/s$"
VERIFICATION = r"^Verification: (PASS|FAIL|SKIPPED) \(.+\)$"


def only(pattern, text):
    """What the pattern's only match in the text has in its group."""
    (group,) = re.findall(pattern, text, re.MULTILINE)
    return group


def test_only_rank_0_prints(folder):
    out, err = run(["mpirun", "--tag-output", "-np", 3, BUILD / "jacobi", "deck.yaml"], folder)
    assert all(line.startswith("[1,0]<stdout>:") for line in out.splitlines()) and err == ""
    assert out.count("Figure of Merit") == out.count("Verification:") == out.count("decomposition") == 1


def test_figure_of_merit_is_the_report_s(folder):
    out, _ = jacobi(2, "deck.yaml", *sets("solver.iterations=500", "report.file=u.json"), cwd=folder)
    assert float(only(FOM, out)) == pytest.approx(read_report(folder / "u.json")["glups"] * 1e3, abs=6e-4)
    assert "\033" not in out, "colours are for terminals"


@pytest.mark.parametrize(
    "kind, verify, verdict, passed",
    [
        ("laplace", "auto", "PASS", True),
        ("eigenmode", "auto", "PASS", True),
        ("poisson", "exact", "PASS", True),
        ("random", "reference", "PASS", True),
        ("random", "auto", "SKIPPED", None),
        ("laplace", "none", "SKIPPED", None),
    ],
)
def test_verdicts(folder, kind, verify, verdict, passed):
    (folder / "deck.yaml").write_text("grid: {cells: [9, 7, 5]}\nsolver: {iterations: 20}\nreport: {file: u.json}\n")
    out, _ = jacobi_alone("deck.yaml", *sets(f"problem.kind={kind}", f"verify.kind={verify}"), cwd=folder)
    assert only(VERIFICATION, out) == verdict
    verification = read_report(folder / "u.json")["verification"]
    assert verification["passed"] is passed
    assert verification["kind"] == {"auto": "exact" if passed else "none"}.get(verify, verify)
    if kind == "random" and passed:
        assert verification["error"] == 0


def test_quiet(folder):
    out, err = jacobi(2, "deck.yaml", "--quiet", cwd=folder)
    assert err == "" and len(out.splitlines()) == 3
    assert printed_digest(out) and only(FOM, out) and only(VERIFICATION, out)


def test_dry_run_touches_no_file(folder):
    (folder / "u.vtkhdf").write_text("of another run")
    before = sorted((path.name, path.read_text(), path.stat().st_mtime_ns) for path in folder.iterdir())
    files = sets("output.file=u.vtkhdf", "report={file: u.json, csv: u.csv}", "grid.periodic=[true, false, false]")
    host = sets("device.backend=host", "comm.ranks=[1, 1, 3]")
    out, err = jacobi(3, "deck.yaml", "--dry-run", *files, *host, cwd=folder)
    assert sorted((path.name, path.read_text(), path.stat().st_mtime_ns) for path in folder.iterdir()) == before
    assert err == "" and not re.search(FOM, out, re.MULTILINE) and not re.search("^digest", out, re.MULTILINE)
    assert re.search(r"^decomposition +1 x 1 x 3\b", out, re.MULTILINE)
    assert re.search(r"^memory .* a rank$", out, re.MULTILINE)
    edges = re.findall(r"^ *(\d) +([xyz][+-]) +(\d) +(self|shm) +\S", out, re.MULTILINE)
    self_edges = [(f"{rank}", f"x{side}", f"{rank}", "self") for rank in range(3) for side in "-+"]
    shared = [("0", "z+", "1", "shm"), ("1", "z-", "0", "shm"), ("1", "z+", "2", "shm"), ("2", "z-", "1", "shm")]
    assert sorted(edges) == sorted(self_edges + shared)


def test_dry_run_finds_bad_files(folder):
    _, err = jacobi_alone("deck.yaml", "--dry-run", *sets("output.file=none/u.h5"), cwd=folder, status=2)
    assert "folder none" in err


@pytest.mark.parametrize("settings", [[], ["comm.transport=mpi"], ["comm.virtual_nodes=2", "problem.kind=poisson"]])
def test_dry_run_needs_no_memory(folder, settings):
    """Petabytes: what a run would need and what is there, the decomposition and the edges, and nothing of it is an error."""
    (folder / "large.yaml").write_text("grid: {cells: [100000, 100000, 100001]}\nsolver: {iterations: 1}\n")
    large = ["large.yaml", "--dry-run", *sets("device.backend=host", "comm.ranks=[1, 1, 3]", "output.file=u.vtkhdf", *settings)]
    out, err = jacobi(3, *large, cwd=folder)
    assert err == "" and re.search(r"^decomposition +1 x 1 x 3, blocks of 100000 x 100000 x 33333 to", out, re.MULTILINE), out
    assert len(re.findall(r"^ *\d +z[+-] +\d +(?:shm|mpi) +\d+  \S", out, re.MULTILINE)) == 4, out
    needed = re.search(r"^needed +([0-9.]+) GiB of memory on \S+, where [0-9.]+ [GM]iB are free$", out, re.MULTILINE)
    values = 3 if "problem.kind=poisson" in settings else 2
    assert float(needed[1]) == pytest.approx(values * 8e15 / 2**30, rel=1e-3)
    shared = re.search(r"^ +([0-9.]+) GiB of shared memory in \S+ on \S+, where", out, re.MULTILINE)
    if settings[1:]:  # the third rank is alone on its node
        assert float(shared[1]) == pytest.approx(2 / 3 * 2 * 8e15 / 2**30, rel=1e-3)
    else:
        assert float(shared[1]) == pytest.approx(2 * 8e15 / 2**30, rel=1e-3)
    warnings = "\n".join(re.findall("^WARNING +(.*)$", out, re.MULTILINE))
    assert warnings.count("a run does not fit here") == 2 and "cannot write u.vtkhdf: it needs" in warnings, out
    assert not (folder / "u.vtkhdf").exists()
    out, err = jacobi(3, *large, "--quiet", cwd=folder)
    assert out == "" and err.count("WARNING") == 3


def test_quiet_dry_run(folder):
    assert jacobi(2, "deck.yaml", "--dry-run", "--quiet", cwd=folder) == ("", "")
    assert "does not fit" not in jacobi(2, "deck.yaml", "--dry-run", cwd=folder)[0]


def test_list(tmp_path, folder):
    out, err = jacobi(2, "--list", cwd=tmp_path)
    assert err == ""
    for name in ["host", "cuda", "self", "shm", "ipc", "mpi", "nccl", "barrier", "event"]:
        assert re.search(rf"^ +{name}\b", out, re.MULTILINE), name
    run_out, _ = jacobi(2, "deck.yaml", "--dry-run", *sets("device.backend=host"), cwd=folder)
    assert f"\n  host   {only('^devices +each (.*)$', run_out)} a rank (" in out, "as many threads as a run takes"
    if "this build has no CUDA" in out:
        assert re.search(r"^  nccl .*: not in this build$", out, re.MULTILINE), out


def test_version_and_help(tmp_path):
    out, err = jacobi(2, "--version", cwd=tmp_path)
    assert err == "" and re.fullmatch(r"jacobi \d+\.\d+\.\d+ \(.+\)\n", out)
    out, err = jacobi_alone("--help", cwd=tmp_path)
    assert err == ""
    for option in ["set", "restart", "report", "dry-run", "list", "quiet", "no-color", "version", "help"]:
        assert re.search(rf"^ +(-\w,)?--{option}\b", out, re.MULTILINE), option
    assert re.search(r"--quiet +print only the digest, the figure of merit, the verification and errors\n", out)


def progress(folder, watched):
    """What a run of about a second leaves on standard error, a terminal if somebody watches."""
    command = [str(BUILD / "jacobi"), "deck.yaml", *sets("solver={iterations: 40000, check_every: 500}")]
    if not watched:
        return run(command, folder)[1]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, env=environment()) as job:
        os.close(theirs)
        text = b""
        try:
            while block := os.read(ours, 4096):
                text += block
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(ours)
    assert job.returncode == 0
    return text.decode()


def test_progress_is_for_terminals(folder):
    assert progress(folder, watched=False) == ""
    assert re.search(r"sweep \d+ of 40000", progress(folder, watched=True))
