"""The machine: its GPUs, its software, the MPS daemon."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from . import launch


def _output(*command, cwd=None):
    try:
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


class Gpu:
    def __init__(self, line):
        self.uuid, self.name, self.driver, total, free = [field.strip() for field in line.split(",")]
        self.total_mib, self.free_mib = int(total), int(free)


def gpus():
    """The GPUs that CUDA_VISIBLE_DEVICES leaves, in its order."""
    query = "--query-gpu=uuid,name,driver_version,memory.total,memory.free"
    everything = [Gpu(line) for line in _output("nvidia-smi", query, "--format=csv,noheader,nounits").splitlines() if line.count(",") == 4]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return everything
    chosen = []
    for word in visible.split(","):
        found = [gpu for i, gpu in enumerate(everything) if word and (word == str(i) or gpu.uuid.startswith(word))]
        if not found:
            break  # as CUDA does: whatever follows an entry that names no device is ignored
        chosen.append(found[0])
    return chosen


def short_name(devices):
    """For file names: "2xH200"."""
    if not devices:
        return "host"
    return f"{len(devices)}x{re.sub(r'[^A-Za-z0-9]+', '-', devices[0].name.replace('NVIDIA', '').strip())}"


def memory_available_bytes():
    found = re.search(r"MemAvailable:\s+(\d+) kB", pathlib.Path("/proc/meminfo").read_text(encoding="ascii"))
    return int(found[1]) * 1024 if found else 0


COMMIT = r"(?:\S+-\d+-g)?[0-9a-f]{7,40}(?:-dirty)?"  # as `git describe --always --long --dirty` says, or `git rev-parse`


def commit_of(root):
    """(commit of a tree, ""), or ("", why nobody can tell)."""
    if _output("git", "rev-parse", "--show-toplevel", cwd=root).strip() != str(root):
        return "", "the tree is no git checkout of its own"
    # A copy of the tree that was made a repository for the journey has a commit that nobody else knows.
    if len(_output("git", "rev-list", "--max-count=2", "HEAD", cwd=root).split()) < 2 and _output("git", "rev-parse", "--is-shallow-repository", cwd=root) != "true\n":
        return "", "HEAD has no history: a copy of the tree"
    return _output("git", "describe", "--always", "--long", "--dirty", cwd=root).strip(), ""


def facts(root, build, devices, backend, commit):
    """What a record says about where and from what it was made."""
    cache = build / "CMakeCache.txt"
    cached = dict(re.findall(r"^([A-Za-z0-9_]+):[A-Z]+=(.*)$", cache.read_text(encoding="utf-8"), re.M)) if cache.exists() else {}
    nvcc = re.search(r"release \S+, (\S+)", _output(cached.get("CMAKE_CUDA_COMPILER") or "false", "--version"))
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": commit,
        "back end": backend + ("" if backend == "cuda" else " (a rehearsal: no figure here says anything about a GPU)"),
        "devices": f"{len(devices)} x {devices[0].name}" if devices else "no GPU",
        "nvidia-smi -L": "; ".join(line.strip() for line in _output("nvidia-smi", "-L").splitlines() if line.startswith("GPU")),
        "driver": devices[0].driver if devices else "",
        "nvcc": f"{nvcc[1]}, architectures {cached.get('CMAKE_CUDA_ARCHITECTURES', 'unknown')}" if nvcc else "none in this build",
        "MPI": _output("mpirun", "--version").partition("\n")[0],
        "host": f"{os.uname().nodename}, {len(os.sched_getaffinity(0))} cores, {processor[1] if processor else os.uname().machine}",
    }


class NoMps(Exception):
    """Why the MPS daemon cannot be had."""


@contextlib.contextmanager
def mps(folder, devices):
    """Runs the MPS control daemon, its pipes in `folder`, and yields the environment that makes programs its clients. Device
    settings stay as they are."""
    if shutil.which("nvidia-cuda-mps-control") is None:
        raise NoMps("no nvidia-cuda-mps-control here")
    folder.mkdir()
    clients = {"CUDA_MPS_PIPE_DIRECTORY": str(folder), "CUDA_MPS_LOG_DIRECTORY": str(folder)}
    # By UUID, since a client's ordinals count from the server's list.
    env = {**os.environ, **clients, "CUDA_VISIBLE_DEVICES": ",".join(gpu.uuid for gpu in devices)}
    # The daemon outlives its starter and keeps the pipes that it is given: a file, or this would wait for its end.
    with open(folder / "start.log", "w+", encoding="utf-8") as log:
        try:
            subprocess.run(
                ["nvidia-cuda-mps-control", "-d"], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=30, check=True
            )  # fmt: skip
        except subprocess.SubprocessError as fault:
            log.seek(0)
            raise NoMps(f"nvidia-cuda-mps-control -d: {log.read().strip()[-200:] or fault}") from fault
    try:
        yield clients
    finally:
        # A server whose client was killed may wait for it for ever: past a limit the daemon ends it by force, or else this does.
        mine = _mps_processes(folder, clients)
        launch.call(["sh", "-c", "echo quit -t 10 | nvidia-cuda-mps-control"], 30, env)
        end = time.monotonic() + 2
        while any(map(_is_mps, mine)) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in filter(_is_mps, mine):
            os.kill(pid, signal.SIGKILL)


def _is_mps(pid):
    try:
        return "nvidia-cuda-mps" in pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii")
    except OSError:
        return False


def _mps_processes(folder, env):
    """The daemon whose pipes are in `folder`, and its servers."""
    daemon = folder / "nvidia-cuda-mps-control.pid"
    words = [*(daemon.read_text(encoding="ascii").split() if daemon.exists() else ()), *mps_servers(env)]
    return [int(word) for word in words if word.isdigit()]


def mps_servers(env):
    """Process ids of the daemon's servers: there is one once a client has come."""
    _, output = launch.call(["sh", "-c", "echo get_server_list | nvidia-cuda-mps-control"], 30, {**os.environ, **env})
    return output.split()
