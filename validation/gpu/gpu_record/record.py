"""Lines of a record: collected as they are made, printed at once, written as Markdown at the end."""
import dataclasses
import time

from .stopping import during

PASSED, FAILED, IMPOSSIBLE = "passed", "failed", "not possible here"
MEASURED, MEETS, MISSES = "measured", "meets", "MISS"

TIMINGS_NOTE = "Timings never decide the exit status: a figure below its must is marked MISS, only a line that failed makes the status 1."


@dataclasses.dataclass
class Line:
    name: str
    verdict: str
    note: str = ""  # for people: the reason of a failure or impossibility, or what was seen
    figures: dict = dataclasses.field(default_factory=dict)  # column -> value, in the order of the table's columns
    output: str = ""  # of a failed program, its end
    seconds: float = 0.0


class Record:
    def __init__(self):
        self.sections = {}  # title -> lines
        self.kept = {}  # title -> (name, text) of what is kept word for word
        self.title = None
        self.start = time.monotonic()

    def section(self, title):
        self.title = title
        self.sections.setdefault(title, [])
        print(f"\n{title}", flush=True)

    def add(self, line):
        self.sections[self.title].append(line)
        facts = "  ".join(f"{name} {value}" for name, value in line.figures.items())
        print(f"  {line.verdict:<{len(IMPOSSIBLE)}}  {'  '.join(part for part in (line.name, facts, line.note) if part)}", flush=True)

    def keep(self, name, text):
        self.kept.setdefault(self.title, []).append((name, text))

    def run(self, name, work):
        """Adds the line that work() returns, or a failed one when it raises: a line never stops the rest."""
        begin = time.monotonic()
        try:
            with during(name):
                line = work()
        except Exception as fault:  # pylint: disable=broad-except
            line = Line(name, FAILED, str(fault) or type(fault).__name__, output=getattr(fault, "output", ""))
        line.seconds = time.monotonic() - begin
        self.add(line)
        return line

    def lines(self):
        return [line for lines in self.sections.values() for line in lines]

    def failed(self):
        return [line for line in self.lines() if line.verdict == FAILED]

    def summary(self):
        verdicts = [line.verdict for line in self.lines()]
        counts = [f"{verdicts.count(v)} {v}" for v in (PASSED, FAILED, IMPOSSIBLE, MEASURED, MEETS, MISSES) if v in verdicts]
        return f"{', '.join(counts)}; {time.monotonic() - self.start:.0f} s"

    def markdown(self, facts):
        """`facts`: name -> text of what was recorded where."""
        text = f"# GPU record, {facts['date'][:10]}: {facts['devices']}\n\n"
        text += _table(["", ""], [[name, value] for name, value in facts.items() if value])
        text += f"\nResult: {self.summary()}. {TIMINGS_NOTE}\n"
        for title, lines in self.sections.items():
            columns = list(dict.fromkeys(column for line in lines for column in line.figures))
            rows = [[line.name, _bold(line.verdict), *(line.figures.get(c, "") for c in columns), line.note, f"{line.seconds:.1f}"] for line in lines]
            text += f"\n## {title}\n" + _table(["line", "result", *columns, "note", "s"], rows)
            for name, words in self.kept.get(title, ()):
                text += f"\n{name}:\n\n" + "".join(f"    {row}".rstrip() + "\n" for row in words.splitlines())
        if self.failed():
            text += "\n## Output of what failed\n"
        for line in self.failed():
            text += f"\n{line.name}: {line.note}\n\n" + "".join(f"    {row}\n" for row in line.output.splitlines()[-40:])
        return text


def _bold(verdict):
    return f"**{verdict}**" if verdict in (FAILED, MISSES) else verdict


def _table(columns, rows):
    """A Markdown table without the columns that are empty in every row."""
    kept = [i for i in range(len(columns)) if i == 0 or any(str(row[i]) for row in rows)]
    lines = [[columns[i] for i in kept], ["---"] * len(kept)]
    lines += [[str(row[i]).replace("|", "\\|").replace("\n", " ") for i in kept] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
