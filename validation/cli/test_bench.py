"""bench on the host back end: the table, its JSON, what is refused, and the bits of every configuration."""
import itertools
import json
import re
import signal

import pytest
from documented import documented, keys_of
from jobs import Job
from programs import BUILD, run

QUICK = ["--backend", "host", "--seconds", "0.002"]
RUNGS = ["event", "stream", "flag", "persistent", "barrier"]  # as jacobi --list has them


def bench(ranks, *arguments, cwd, status=0):
    launcher = ["mpirun", "-np", ranks] if ranks > 1 else []
    return run([*launcher, BUILD / "bench", *QUICK, *arguments], cwd, status=status, timeout=120)


def document_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def lines(out):
    """The rows of the table, as words."""
    table = out[out.index("\ncells a rank") + 1 :].split("\n\n")[0]
    return [row.split() for row in table.splitlines()[1:]]


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    out, err = bench(2, "--sizes", "6,9x5x4", "--problem", "random,poisson", "--depths", "1,9", "--json", "b.json", cwd=folder)
    return out, err, document_of(folder / "b.json")


def test_every_configuration(two_ranks):
    out, err, document = two_ranks
    assert err == "" and document["schema"] == "jacobi-bench/1" and document["complete"]
    asked = [(row["cells"], row["problem"], row["precision"], row["asked"]["rung"]) for row in document["rows"] if row["asked"]["transport"] == "auto"]
    sizes, problems, precisions = [[6, 6, 6], [9, 5, 4]], ["random", "poisson"], ["double", "float"]
    assert asked == list(itertools.product(sizes, problems, precisions, RUNGS))
    assert {row["temporal_depth"] for row in document["rows"]} == {1}
    assert len(lines(out)) == len(document["rows"]) + len(document["refused"])
    assert document["ranks"] == 2 and document["decomposition"] == [1, 1, 2] and document["backend"] == "host"


def test_every_key_is_documented(two_ranks):
    written = {re.sub(r"(transport_reasons)\.\w+", r"\1.NAME", key) for key in keys_of(two_ranks[2])}
    assert written == documented("Keys of the table")


def test_figures(two_ranks):
    _, _, document = two_ranks
    for row in document["rows"]:
        us, glups, bound = row["us_per_sweep"], row["glups"], row["bound"]
        cells = 2 * row["cells"][0] * row["cells"][1] * row["cells"][2]
        assert 0 < us["min"] <= us["median"] <= us["max"]
        for low, high in (("min", "max"), ("median", "median"), ("max", "min")):
            assert glups[low] == pytest.approx(cells / us[high] * 1e-3)
        assert row["spread"] == pytest.approx((us["max"] - us["min"]) / us["median"])
        bytes_a_pass = {"double": 8, "float": 4}[row["precision"]] * (3 if row["problem"] == "poisson" else 2)
        assert bound["bytes_per_point"] == bytes_a_pass
        assert row["model_bytes_per_point"] == bytes_a_pass / row["temporal_depth"]
        assert bound["one_pass_glups"] is None or row["over_one_pass"] == pytest.approx(glups["median"] * bytes_a_pass / bound["copy_gbs"])


def test_what_is_refused_has_a_reason(two_ranks):
    out, _, document = two_ranks
    deep = [row for row in document["refused"] if row["asked"]["depth"] == 9 and row["asked"]["transport"] == "auto"]
    assert len(deep) == 2 * 2 * 2 * len(RUNGS)
    for row in document["refused"]:
        assert row["reason"] in document["notes"]
    for words in lines(out):
        assert ("refused" in words) == bool(re.fullmatch(r"\[\d+\]", words[-1])), words
    for number, note in enumerate(document["notes"], 1):
        assert f"\n[{number}] {note}\n" in out
    assert len(document["notes"]) == len(set(document["notes"])), "a reason stands once"


def test_same_bits_in_each_group(two_ranks):
    out, _, document = two_ranks
    digests = {}
    for row in document["rows"]:
        assert row["bits"]["right"] and row["bits"]["sweeps"] >= 13
        key = (*row["cells"], row["precision"])
        digests.setdefault((key, row["problem"]), set()).add(row["bits"]["digest"])
        digests.setdefault((key, "random"), set()).add(row["bits"]["digest_of_random"])
    assert len(digests) == 8 and all(len(found) == 1 for found in digests.values())
    assert len(set().union(*digests.values())) == 8, "and others elsewhere"
    assert f"Digests: all {len(document['rows'])} configurations computed the same bits" in out


def test_digest_is_that_of_jacobi(two_ranks, tmp_path):
    _, _, document = two_ranks
    row = next(row for row in document["rows"] if row["cells"] == [9, 5, 4] and (row["problem"], row["precision"]) == ("poisson", "float"))
    deck = "grid: {cells: [9, 5, 8]}\nproblem: {kind: poisson}\nsolver: {iterations: %d, precision: float}\n" % row["bits"]["sweeps"]
    (tmp_path / "deck.yaml").write_text(deck)
    out, _ = run([BUILD / "jacobi", "deck.yaml"], tmp_path)
    assert f"digest         {row['bits']['digest']}\n" in out


def test_staged_messages(two_ranks):
    """Everything is compared with them, at the same depth."""
    _, _, document = two_ranks
    staged = {}
    for row in document["rows"]:
        key = (*row["cells"], row["problem"], row["precision"], row["temporal_depth"])
        if row["asked"]["transport"] == "mpi":
            assert row["transports"] == ["mpi"] and row["sync"] == "barrier"
            staged[key] = row["us_per_sweep"]["median"]
        assert row["over_staged_mpi"] == pytest.approx(staged[key] / row["us_per_sweep"]["median"])


def test_blocks_too_thin(tmp_path):
    """Two halo layers of blocks of one cell."""
    arguments = ["--sizes", "3x3x1", "--precision", "double", "--depths", "1", "--rungs", "event", "--transports", "shm", "--set", "comm.halo_depth=2"]
    out, _ = bench(2, *arguments, "--json", "b.json", cwd=tmp_path, status=1)
    document = document_of(tmp_path / "b.json")
    assert document["rows"] == [] and len(document["refused"]) == 1
    assert re.search(r"^\[1\] comm.halo_depth: 2 halo layers, .*only 1 cell thick along z, where", out, re.MULTILINE), out
    assert "Digests: nothing was measured" in out


@pytest.mark.parametrize("ranks", [1, 2])
def test_blocks_too_large(tmp_path, ranks):
    """Petabytes are refused, and what comes after them is measured."""
    arguments = ["--sizes", "60000,4", "--precision", "double", "--depths", "1", "--rungs", "event,barrier"]
    out, err = bench(ranks, *arguments, "--json", "b.json", cwd=tmp_path)
    document = document_of(tmp_path / "b.json")
    assert err == "" and {tuple(row["cells"]) for row in document["rows"]} == {(4, 4, 4)}
    assert {tuple(row["cells"]) for row in document["refused"]} == {(60000, 60000, 60000)}
    assert all("no room for the fields" in row["reason"] for row in document["refused"])
    assert re.search(r"^\[1\] no room for the fields: they need [0-9.]+ GiB of memory on \S+, where", out, re.MULTILINE), out


def test_notes_of_rows_before_an_error(tmp_path):
    """A rank that stops ends the table; what its lines refer to stands below them all the same."""
    settings = ["--backend", "host", "--sizes", "8", "--depths", "9,1", "--precision", "double", "--rungs", "flag", "--transports", "shm"]
    with Job(2, *settings, "--seconds", "9", "--set", "comm.timeout_s=1", cwd=tmp_path, program="bench") as job:
        job.await_sweeps(" [1]\n")
        job.signal(1, signal.SIGSTOP)
        status, err = job.ended(100)
        assert status == 1, err
    assert re.search(r"^\[1\] solver.temporal_depth: 9 sweeps", (tmp_path / "stdout").read_text(), re.MULTILINE), err


def test_transport_of_another_back_end(tmp_path):
    """A transport that this back end lacks is refused, and the memory of the attempt is given back."""
    arguments = ["--sizes", "40", "--precision", "double", "--depths", "1", "--rungs", "flag,auto", "--transports", "ipc,nccl,shm"]
    _, err = bench(2, *arguments, "--json", "b.json", cwd=tmp_path)
    document = document_of(tmp_path / "b.json")
    assert err == ""
    assert [row["asked"]["transport"] for row in document["refused"]] == ["ipc", "ipc", "nccl", "nccl"]
    assert [row["transports"] for row in document["rows"]] == [["shm"], ["shm"]]
    assert document["rows"][1]["asked"]["rung"] == "auto" and document["rows"][1]["sync"] in RUNGS


def test_rung_that_messages_refuse(tmp_path):
    """The refusal comes after the messages' set-up, and the next configuration starts afresh."""
    arguments = ["--sizes", "7", "--precision", "double", "--depths", "1,2", "--rungs", "flag,event", "--transports", "mpi"]
    out, err = bench(2, *arguments, "--json", "b.json", cwd=tmp_path)
    document = document_of(tmp_path / "b.json")
    assert err == ""
    assert [(row["sync"], row["temporal_depth"], row["transports"]) for row in document["rows"]] == [("event", 1, ["mpi"]), ("event", 2, ["mpi"])]
    assert [row["asked"]["rung"] for row in document["refused"]] == ["flag", "flag"]
    assert re.search(r"^\[1\] comm.sync: flag cannot be used.*messages", out, re.MULTILINE), out


def test_one_rank(tmp_path):
    arguments = ["--sizes", "5", "--depths", "auto", "--rungs", "auto", "--precision", "float", "--problem", "laplace", "--periodic"]
    out, _ = bench(1, *arguments, "--transports", "mpi", cwd=tmp_path)
    ((size, problem, precision, depth, rung, transport, *_, bits),) = lines(out)
    assert (size, problem, precision, transport, bits) == ("5x5x5", "laplace", "float", "self", "ok")
    assert depth.endswith("*") and rung.endswith("*") and "chosen by jacobi" in out
    assert "its own neighbour only: no transports to choose from" in out and "[1]" not in out, "no note without its row"


def test_settings(tmp_path):
    arguments = ["--sizes", "4", "--depths", "1", "--rungs", "flag", "--transports", "auto", "--precision", "double", "--quick", "--repeats", "4"]
    out, _ = bench(2, *arguments, "--set", "comm.ranks=[2, 1, 1]", "--set", "device.threads=1", "--json", "b.json", cwd=tmp_path)
    document = document_of(tmp_path / "b.json")
    assert document["decomposition"] == [2, 1, 1] and document["repeats"] == 4 and "2 x 1 x 1 ranks" in out
    assert document["settings"] == ["device.threads=1"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--sizes", "0"], ["--sizes", "777x601x433", "'0'"]),
        (["--sizes", "3x4"], ["--sizes", "'3x4'"]),
        (["--sizes", "8,"], ["--sizes", "''"]),
        (["--sizes", "9999999999"], ["grid.cells"]),
        (["--depths", "0"], ["--depths", "auto"]),
        (["--rungs", "flag,semaphore"], ["--rungs", "semaphore", "persistent"]),
        (["--transports", "pigeon"], ["--transports", "pigeon", "shm"]),
        (["--precision", "half"], ["--precision", "half", "float"]),
        (["--problem", "heat"], ["--problem", "heat", "poisson"]),
        (["--repeats", "2"], ["--repeats", "3"]),
        (["--seconds", "0"], ["--seconds", "0.001", "'0'"]),
        (["--seconds", "nan"], ["--seconds", "'nan'"]),
        (["--seconds", "inf"], ["--seconds", "'inf'"]),
        (["--seconds", "-1"], ["--seconds", "'-1'"]),
        (["--seconds", "1e5"], ["--seconds", "3600"]),
        (["--repeats", "nan"], ["--repeats", "nan"]),
        (["--repeats", "1001"], ["--repeats", "1000"]),
        (["--depths", "99999999999"], ["--depths", "99999999999"]),
        (["--depths", "2000000000"], ["solver.temporal_depth", "halo layers", "2000000000"]),
        (["--sizes", "-4"], ["--sizes", "'-4'"]),
        (["--set", "comm.halo_depth=2000000000"], ["comm.halo_depth", "2000000000"]),
        (["--set", "comm.timeout_s=nan"], ["comm.timeout_s", "finite"]),
        (["--set", "comm.timeout_s=-1"], ["comm.timeout_s", "> 0"]),
        (["--set", "comm.virtual_nodes=2"], ["comm.virtual_nodes", "1 rank"]),
        (["--set", "comm.ranks=[2, 1, 1]"], ["comm.ranks", "2 ranks", "1 were started"]),
        (["--set", "comm.ranks=[70000, 70000, 1]"], ["comm.ranks", "70000"]),
        (["--set", "solver.iterations=5"], ["--set", "solver.iterations", "comm.overlap"]),
        (["--set", "comm.timeout_s=never"], ["comm.timeout_s", "never"]),
        (["--json", "none/b.json"], ["none/b.json", "folder none"]),
        (["deck.yaml"], ["deck.yaml"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_bad_option_or_file(tmp_path, arguments, words):
    out, err = run([BUILD / "bench", "--backend", "host", *arguments], tmp_path, status=2)
    assert out == "" and all(word in err for word in words), err
    assert err.startswith("bench: ") and len(err.splitlines()) == 1, err
    assert list(tmp_path.iterdir()) == []


def test_ranks_that_were_not_started(tmp_path):
    for ranks in ("[1, 1, 1]", "[3, 1, 1]", "[2, 2, 1]"):
        out, err = bench(2, "--sizes", "4", "--set", f"comm.ranks={ranks}", cwd=tmp_path, status=2)
        assert out == "" and re.fullmatch(r"bench: comm.ranks: .* 2 were started \(mpirun -np\)\n", err.partition("---")[0]), err


def test_help_and_version(tmp_path):
    out, _ = run([BUILD / "bench", "--help"], tmp_path)
    assert all(f"--{name}" in out for name in "sizes depths rungs precision problem periodic transports repeats seconds backend json quick".split())
    out, _ = run(["mpirun", "-np", 2, BUILD / "bench", "--version"], tmp_path)
    assert re.fullmatch(r"bench \S+ \(.*\)\n", out), "one rank prints"


def test_stopped_rank(tmp_path):
    """No hang: a wait in the sweeps ends by its own limit, any other by the watchdog's."""
    settings = ["--backend", "host", "--sizes", "8", "--rungs", "flag", "--transports", "shm", "--seconds", "3", "--set", "comm.timeout_s=1"]
    with Job(3, *settings, "--set", "comm.ranks=[1, 1, 3]", cwd=tmp_path, program="bench") as job:
        job.await_sweeps("\ncells a rank")
        job.signal(1, signal.SIGSTOP)
        status, err = job.ended(100)
        assert status == 1 and job.running() == []
    assert re.search(r"^bench: rank [02] on \S+: .*(waited 1 s|has not ended within)", err, re.MULTILINE), err
