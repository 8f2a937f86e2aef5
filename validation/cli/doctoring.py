"""Running the doctor, and reading what it says."""
import pathlib
import re

from programs import BUILD, run

GPU_HARDWARE = pathlib.Path("/dev/nvidiactl").exists()


def doctor(ranks, *arguments, cwd, launcher=(), wrapper=(), env=None, program="doctor", **options):
    """Runs the doctor under mpirun. `launcher` goes before mpirun, `wrapper` before each rank's program; `env` is for the ranks."""
    settings = [word for name, value in (env or {}).items() for word in ("-x", f"{name}={value}")]
    return run([*launcher, "mpirun", *settings, "-np", ranks, *wrapper, BUILD / program, *arguments], cwd, **options)


def flat(text):
    """Without line breaks, so that wrapped sentences are found."""
    return " ".join(text.split())


def findings(out, severity):
    """(subject, text) of the findings of a severity."""
    blocks = re.findall(rf"^{severity} +(\S.*?): (.*(?:\n +.*)*)", out, re.MULTILINE)
    return [(subject, flat(text)) for subject, text in blocks]


def only_failure(out, subject):
    """The text of the one failure (and of what follows from there being GPUs that the test has hidden)."""
    failures = [(s, text) for s, text in findings(out, "FAIL") if s != "devices"]
    assert [s for s, _ in failures] == [subject], out
    return failures[0][1]


def verdict(out, expected):
    (word,) = re.findall(r"^Verdict: (\w+) \(", out, re.MULTILINE)
    assert word == expected
