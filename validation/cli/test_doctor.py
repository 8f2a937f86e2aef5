"""The doctor on this machine, and in containers and small machines made of it: what it says, and its exit status."""
import itertools
import json
import os
import re
import subprocess

import pytest
from doctoring import GPU_HARDWARE, doctor, findings, only_failure, verdict
from mounts import NAMESPACE, mounted, require_mounts
from programs import BUILD, run


@pytest.mark.skipif(GPU_HARDWARE, reason="GPUs here: what `auto` has to give up depends on them")
@pytest.mark.parametrize("ranks", [0, 1, 2, 3])
def test_host(tmp_path, ranks):
    """0 ranks: without mpirun."""
    arguments = ["--json", "d.json"]
    out, err = doctor(ranks, *arguments, cwd=tmp_path) if ranks > 0 else run([BUILD / "doctor", *arguments], tmp_path)
    assert err == "" and findings(out, "FAIL") == []
    verdict(out, "OK")
    assert re.search(r"^NOTE +devices: no GPU here", out, re.MULTILINE)
    document = json.loads((tmp_path / "d.json").read_text())
    assert document["schema"] == "jacobi-doctor/1" and document["full_function"] is True
    assert [rank["rank"] for rank in document["ranks"]] == list(range(max(ranks, 1)))
    pairs = {(pair["from"], pair["to"]): pair for pair in document["pairs"]}
    assert sorted(pairs) == sorted(itertools.permutations(range(ranks), 2)) and len(pairs) == len(document["pairs"])
    for (a, b), pair in pairs.items():
        assert pair["transport"] == "shm" and pair["memory"]["state"] == pair["data"]["state"] == pair["flags"]["state"] == "ok"
        assert pair["copy_gbs"] > 0 and pair["store_gbs"] > 0 and pair["flag_us"] > 0 and pair["round_trips"] > 0
        assert pair["flag_us"] == pairs[b, a]["flag_us"]
    if ranks > 1:
        assert len(re.findall(rf"^ +\d(?: +(?:-|\d+\.\d+)){{{ranks}}}$", out, re.MULTILINE)) == 3 * ranks, "three matrices"
    else:
        assert "one rank alone" in out


def test_command_line(tmp_path):
    out, err = run([BUILD / "doctor", "--version"], tmp_path)
    assert err == "" and re.fullmatch(r"doctor \d+\.\d+\.\d+ \(.+\)\n", out)
    out, err = doctor(2, "--help", cwd=tmp_path)
    assert err == "" and len(re.findall(r"^ +--json FILE\b", out, re.MULTILINE)) == 1
    _, err = doctor(2, "--jsn", "f", cwd=tmp_path, status=2)
    assert re.match(r"doctor: .*--jsn.* \(doctor --help lists the options\)\n", err), err
    for limit in ("nan", "inf", "-1", "0", "1e6", "soon"):
        _, err = run([BUILD / "doctor", "--timeout", limit], tmp_path, status=2)
        assert "--timeout" in err and f"'{limit}'" in err, err
    _, err = doctor(2, "--json", "none/d.json", cwd=tmp_path, status=2)
    assert len(re.findall("^doctor: .*folder none", err, re.MULTILINE)) == 1


def test_small_dev_shm(tmp_path):
    require_mounts(tmp_path)
    small = mounted("mount -t tmpfs -o size=24m shm /dev/shm")
    out, _ = doctor(2, cwd=tmp_path, launcher=small, env={"CUDA_VISIBLE_DEVICES": ""}, status=1 if GPU_HARDWARE else 0)
    notes = dict(findings(out, "NOTE"))
    assert re.search(r"/dev/shm has \d\d of 24 MiB free .*about 1.\d million cells", notes["shared memory"])
    assert "--shm-size" in notes["shared memory"]


def test_dev_shm_too_small_for_a_window(tmp_path):
    require_mounts(tmp_path)
    launcher = [*mounted("mount -t tmpfs -o size=3m shm /dev/shm")]
    out, _ = doctor(3, cwd=tmp_path, launcher=launcher, env={"CUDA_VISIBLE_DEVICES": "", "OMPI_MCA_btl": "tcp,self"}, status=1)
    text = only_failure(out, "shared memory")
    assert "no shared window" in text and "/dev/shm has room for" in text and "no transport: shm" in text


def require_namespaces(option):
    if subprocess.run([*NAMESPACE, option, "true"], capture_output=True).returncode != 0:
        pytest.skip(f"unshare {option} is not allowed here")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_pid_namespaces(tmp_path):
    """A container a rank: all are process 1 in theirs, with which Open MPI's shared memory crashes. The doctor says so instead."""
    require_namespaces("--pid")
    wrapper = ["unshare", "--pid", "--fork"]
    out, _ = doctor(3, cwd=tmp_path, wrapper=wrapper, env={"CUDA_VISIBLE_DEVICES": ""}, status=1)
    failures = [text for subject, text in findings(out, "FAIL") if subject == "shared memory"]
    assert any("ranks 0 and 1 both are process 1" in text for text in failures)
    assert any("3 PID namespaces" in text and "--pid=host" in text for text in failures)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_host_names_that_differ(tmp_path):
    """Two daemons with a host name each on one machine, as containers have them: MPI takes it for two nodes."""
    require_namespaces("--uts")
    agent = tmp_path / "agent"
    agent.write_text('#!/bin/sh\nhost=$1; shift\nexec unshare --uts sh -c "hostname $host; exec sh -c \'$*\'"\n')
    agent.chmod(0o755)
    loopback = ["--mca", "oob_tcp_if_include", "lo", "--mca", "btl_tcp_if_include", "lo", "--mca", "btl", "tcp,vader,self"]
    command = ["mpirun", "--mca", "plm_rsh_agent", agent, *loopback, "--host", "nodea:2,nodeb:2", "-np", "4"]
    out, _ = run([*command, BUILD / "doctor", "--json", "d.json"], tmp_path, status=1)
    assert "ranks 0, 1, 2 and 3 run on one machine (same boot id), but MPI takes it for 2 nodes" in only_failure(out, "ranks")
    document = json.loads((tmp_path / "d.json").read_text())
    assert [(rank["host"], rank["node"]) for rank in document["ranks"]] == [("nodea", 0)] * 2 + [("nodeb", 1)] * 2
    assert sorted((p["from"], p["to"]) for p in document["pairs"] if p["transport"] == "shm") == [(0, 1), (1, 0), (2, 3), (3, 2)]


@pytest.mark.gpu
def test_hidden_gpus(tmp_path):
    out, _ = doctor(2, cwd=tmp_path, env={"CUDA_VISIBLE_DEVICES": ""}, status=1)
    assert any("CUDA_VISIBLE_DEVICES is empty" in text for _, text in findings(out, "FAIL"))


@pytest.mark.gpu
def test_shared_gpu(tmp_path):
    env = {"CUDA_VISIBLE_DEVICES": "0", "CUDA_MPS_PIPE_DIRECTORY": tmp_path / "no-mps"}
    out, _ = doctor(2, "--json", "d.json", cwd=tmp_path, env=env, status=1)
    assert any("without MPS" in text for _, text in findings(out, "FAIL"))
    document = json.loads((tmp_path / "d.json").read_text())
    pairs = [pair for pair in document["pairs"] if pair["transport"] == "ipc"]
    assert len(pairs) == 2
    for pair in pairs:
        assert pair["access"] == "same device" and pair["data"]["state"] == pair["flags"]["state"] == "ok"
        assert 0 < pair["round_trips"] <= 10, "kernels take turns"


@pytest.mark.gpu
@pytest.mark.parametrize("fault, step", [("drop_writes:1", "data"), ("drop_flags", "flags"), ("no_ipc", "memory"), ("no_event", "event")])
def test_gpu_pairs_that_fail(tmp_path, fault, step):
    env = {"JACOBI_FAULT": fault}
    doctor(2, "--timeout", "8", "--json", "d.json", cwd=tmp_path, env=env, program="doctor_faults", status=1)
    document = json.loads((tmp_path / "d.json").read_text())
    assert any(pair[step]["state"] == "failed" for pair in document["pairs"] if pair["transport"] == "ipc")


@pytest.mark.gpu(2)
def test_one_visible_gpu_a_rank_in_every_order(tmp_path, gpus):
    for order in itertools.permutations(range(len(gpus)), 2):
        (tmp_path / "rank").write_text(f'#!/bin/sh\nset -- {order[0]} {order[1]} "$@"\n[ $OMPI_COMM_WORLD_RANK = 0 ] || shift\n'
                                       'export CUDA_VISIBLE_DEVICES=$1\n[ $OMPI_COMM_WORLD_RANK = 0 ] && shift\nshift\nexec "$@"\n')
        (tmp_path / "rank").chmod(0o755)
        doctor(2, "--json", "d.json", cwd=tmp_path, wrapper=[tmp_path / "rank"], status=0)
        document = json.loads((tmp_path / "d.json").read_text())
        assert [rank["devices"][rank["device"]]["uuid"] for rank in document["ranks"]] == [gpus[i] for i in order]
        pairs = [pair for pair in document["pairs"] if pair["transport"] == "ipc"]
        assert {pair["access"] for pair in pairs} == {"not visible"} and len(pairs) == 2
