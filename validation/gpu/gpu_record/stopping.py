"""^C and other signals that ask a script to end: what it started is ended, and one line says what was interrupted."""
import contextlib
import signal
import sys


class Stopped(BaseException):
    """A signal came; as for KeyboardInterrupt, no `except Exception` takes it for a failure."""

    def __init__(self, number):
        super().__init__(number)
        self.number, self.during = number, ""

    def __str__(self):
        return f"interrupted by {signal.Signals(self.number).name}" + (f" during {self.during}" if self.during else "")


@contextlib.contextmanager
def during(what):
    """Says what is interrupted, should a signal come; the innermost counts."""
    try:
        yield
    except Stopped as stop:
        stop.during = stop.during or what
        raise


def status_of(name, main):
    """The exit status of a script: of main(), or where a signal ended it, the one that shells give to it."""
    numbers = [n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]  # nohup

    def stop(number, _):
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)  # clearing up has limits of its own
        raise Stopped(number)

    for number in numbers:
        signal.signal(number, stop)
    try:
        return main()
    except Stopped as stopped:
        sys.stderr.write(f"{name}: {stopped}\n")
        return 128 + stopped.number
