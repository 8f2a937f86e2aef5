"""The keys that documents of the programs have, and those that app/README.md has a row for."""
import re

from programs import ROOT


def documented(heading):
    """The keys in the first column of the table below a heading of app/README.md."""
    text = (ROOT / "app" / "README.md").read_text(encoding="utf-8")
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)[1]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    keys = [key.removesuffix("[]") for row in rows for key in re.findall(r"`([^`]+)`", row)]
    assert len(keys) == len(set(keys)), "each has one row"
    return set(keys)


def keys_of(value, path=""):
    """The paths of a JSON document's values as that table writes them: [] for the members of a list."""
    if isinstance(value, dict) and value:
        return set().union(*(keys_of(item, f"{path}.{name}" if path else name) for name, item in value.items()))
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return set().union(*(keys_of(item, path + "[]") for item in value))
    return {path}
