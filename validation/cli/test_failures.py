"""A rank that stops or dies ends the whole job in bounded time, with a message, and leaves no half-written file."""
import re
import signal

import pytest
from jobs import Job, children, running
from programs import BUILD, compare, run, sets

FOREVER = ["deck.yaml", *sets("solver={iterations: 1000000000, check_every: 0}", "device.backend=host")]
VICTIM = 1  # the middle one of three: all others are its neighbours


def stopped_amid_sweeps(folder, settings):
    """Stops one of three ranks while they sweep; what the others say when the job has ended, in time and with nothing left."""
    with Job(3, *FOREVER, *settings, cwd=folder) as job:
        job.await_sweeps()
        job.signal(VICTIM, signal.SIGSTOP)
        status, err = job.ended(30)
        assert status == 1 and job.running() == []
    return err


def assert_named(err):
    """Wherever the victim was stopped, the system knows that it is."""
    assert re.search(rf"in no state to answer: rank {VICTIM} \(\S+, process \d+, stopped\)$", err, re.MULTILINE), err


@pytest.mark.parametrize("sync", ["barrier", "event", "stream", "flag", "persistent"])
def test_stopped_rank(folder, sync):
    settings = sets("grid.cells=[9, 7, 30]", f"comm={{ranks: [1, 1, 3], sync: {sync}, timeout_s: 2}}")
    err = stopped_amid_sweeps(folder, settings)
    direction = re.escape("any (barrier)") if sync == "barrier" else r"z[+-]"
    waited = rf"waited 2 s for generation (\d+) of rank {VICTIM} \(\S+\) in direction {direction}, .* at (\d+)"
    found = re.search(rf"rank [02] on \S+: .*{waited}", err)
    if found:
        assert int(found[1]) > int(found[2]), "expected and seen generation"
    elif sync == "barrier":  # a rank that stops inside a barrier has reached it: nobody can tell it from the others
        assert re.search(r"rank [02] on \S+: .*barrier of generation \d+ did not complete within 2 s", err), err
    else:  # stopped between two batches, about one stop in thousands
        assert re.search(r"rank [02] on \S+: waited 2 s for all ranks at generation \d+ \(end of a batch\)", err), err
    assert_named(err)


@pytest.mark.parametrize("sync, how", [("event", "transport: mpi"), ("barrier", "transport: mpi"), ("stream", "virtual_nodes: 3")])
def test_stopped_rank_that_owes_a_message(folder, sync, how):
    settings = sets("grid.cells=[9, 7, 30]", f"comm={{ranks: [1, 1, 3], sync: {sync}, {how}, timeout_s: 2}}")
    err = stopped_amid_sweeps(folder, settings)
    direction = r"(?:z[+-]|any \(barrier\))"
    waited = rf"waited 2 s for generation (\d+) of rank {VICTIM} \(\S+\) in direction {direction}, which is at (\d+)"
    found = re.search(rf"rank [02] on \S+: .*{waited}", err)
    if found:
        assert int(found[1]) > int(found[2]), "expected and seen generation"
    else:  # stopped between two batches, or inside a barrier that it has reached
        assert re.search(r"rank [02] on \S+: .*(waited 2 s for all ranks|did not complete within 2 s)", err), err
    assert_named(err)


def test_stopped_rank_between_sweeps(folder):
    """With a residual check a sweep most waits are for all ranks: those that have not come there are named."""
    settings = sets("solver.check_every=1", "grid.cells=[9, 7, 30]", "comm={ranks: [1, 1, 3], timeout_s: 2}")
    err = stopped_amid_sweeps(folder, settings)
    # The generations do not tell who keeps the others waiting when all have come: the victim was stopped right there.
    late = rf"rank {VICTIM} \(\S+, seen at (?P<seen>\d+)\) has not come; stopped or dead\?"
    waited = rf"waited 2 s for all ranks at generation (?P<expected>\d+) \([a-z ]+\): ({late}|all have come, .*)"
    found = re.search(rf"rank [02] on \S+: {waited}", err)
    if found and found["seen"]:
        assert int(found["seen"]) <= int(found["expected"])
    assert found or re.search(rf"rank [02] on \S+: .*waited 2 s for generation \d+ of rank {VICTIM} ", err), err
    assert_named(err)


@pytest.mark.parametrize("victim", [0, 2])
def test_killed_rank(folder, victim):
    with Job(3, *FOREVER, cwd=folder) as job:
        job.await_sweeps()
        job.signal(victim, signal.SIGKILL)
        status, err = job.ended(15)
        assert status != 0 and job.running() == []
    assert f"process rank {victim}" in err and "Killed" in err


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_while_files_are_written(folder, number):
    """Dump after dump: the signal arrives in one of them, most likely. What bears a final name is whole."""
    settings = sets("grid.cells=[40, 40, 40]", "comm.timeout_s=1", "output={file: u.h5, every: 1}")
    with Job(3, *FOREVER, *settings, cwd=folder) as job:
        job.await_sweeps()
        job.await_that(lambda: (folder / "u_000005.h5").exists())
        job.signal(VICTIM, number)
        status, err = job.ended(30)
        assert status != 0 and job.running() == []
        assert number == signal.SIGKILL or re.search(r"jacobi: rank \d on \S+: .*(waited|has not ended)", err), err
        assert number == signal.SIGKILL or assert_named(err) is None
    files = sorted(folder.glob("u_*.h5"))
    for file in [*files[:1], *files[-3:]]:
        compare(file, file, cwd=folder)


@pytest.mark.parametrize("meeting", ["init", "finalize"])
def test_rank_that_never_comes_to_a_meeting(tmp_path, meeting):
    """MPI_Init and MPI_Finalize wait for all ranks, without end if they are let."""
    _, err = run(["mpirun", "-np", 2, BUILD / "absent_rank", meeting], tmp_path, status=1)
    who = {"init": r"process \d+", "finalize": r"rank 0 on \S+"}[meeting]
    assert re.search(rf"^jacobi: {who}: MPI_{meeting.capitalize()}, in which all ranks meet, has not ended within its limit of 1 s", err, re.MULTILINE), err


def test_a_job_that_is_left_early(folder):
    """As an interrupted gpu-record leaves it: before the ranks are known that could be killed one by one."""
    with Job(2, *FOREVER, cwd=folder) as job:
        job.await_that(lambda: "\nedges " in job.out.read_text())
        ranks = children(job.mpirun.pid)
        assert len(ranks) == 2
    assert running(ranks, 0.1) == []
