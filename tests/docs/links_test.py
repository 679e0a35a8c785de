#!/usr/bin/env python3
"""Every relative link in the Markdown files leads to a file that exists and, with an anchor, to a heading of that page; every page of
docs/ is linked from the README. Every source, script and page that a Markdown file names, in backticks or in a block, exists, and so
does every script that a result of bench/ names.

Names may be shortened from the left (`nn/linear.h`) and may stand for several files (`gelu.{h,cc}`, `*_search.cc`). Names in capitals
(`NAME_fuzz.cc`) and those that begin with "my_" are for the reader to fill in.
"""
import fnmatch
import functools
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).parents[2]))
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
NAMED = re.compile(r"[\w./*-]*[\w*]\.(?:\{(?:cc|h|cu|cuh|py|sh|,)+\}|(?:cc|h|cu|cuh|py|sh|md|js|cmake)\b)(?![\w/])")
SCRIPT = re.compile(r"[\w./-]*\w\.(?:py|sh)\b")
FOLDERS = ("yona", "tests", "bench", "recipes", "tools", "docs", "examples", "python", "cmake", ".ci")
READER = re.compile(r"(^|/)(my_|mine\.)|[A-Z]{4}")  # what the reader has to name
FOREIGN = {"modeling_*.py"}  # of transformers


def pages():
    folders = ["", "docs", "bench", "bench/notes", "recipes", "recipes/*", "tests/*"]
    return sorted({path for folder in folders for path in (SOURCE / ".").glob(f"{folder}/*.md" if folder else "*.md")})


def without_code(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(path):
    """What GitHub makes of the headings: lower case, punctuation dropped, blanks as hyphens."""
    headings = re.findall(r"^#+ (.*)$", without_code(path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(path):
    for link in LINK.findall(without_code(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        to = (path.parent / place).resolve() if place else path
        if not to.exists() or (anchor and anchor not in anchors(to)):
            yield link


@functools.lru_cache(maxsize=1)
def files():
    """Every file of the repository as /PATH, so that a name shortened from the left is an end of it."""
    found = [f"/{path.name}" for path in SOURCE.iterdir()]
    for folder in FOLDERS:
        for place, _, names in os.walk(SOURCE / folder):
            found += [f"/{(Path(place) / name).relative_to(SOURCE)}" for name in names]
    return found


def meanings(name):
    """The names that `gelu.{h,cc}` stands for."""
    stem, brace, ends = name.partition("{")
    return [stem + end for end in ends.rstrip("}").split(",")] if brace else [name]


def is_there(name):
    end = "/" + re.sub(r"^(\.?/)+", "", name)
    if "*" in name:
        return any(fnmatch.fnmatch(path, "*" + end) for path in files())
    return any(path.endswith(end) for path in files())


def missing(text, pattern):
    names = {one for name in pattern.findall(text) for one in meanings(name)} - FOREIGN
    return sorted(name for name in names if not READER.search(name) and not is_there(name))


class Links(unittest.TestCase):
    def test_relative_links_lead_somewhere(self):
        found = pages()
        self.assertGreater(len(found), 25)
        for path in found:
            with self.subTest(path.relative_to(SOURCE)):
                self.assertEqual(list(broken(path)), [])

    def test_the_readme_links_every_page_of_docs(self):
        linked = set(LINK.findall((SOURCE / "README.md").read_text(encoding="utf-8")))
        missing = [path.name for path in sorted(SOURCE.glob("docs/*.md")) if f"docs/{path.name}" not in linked]
        self.assertEqual(missing, [])

    def test_what_is_named_exists(self):
        for path in pages():
            if path.name == "CHANGELOG.md":  # may name what a later version moved
                continue
            with self.subTest(path.relative_to(SOURCE)):
                code = "\n".join(CODE.findall(path.read_text(encoding="utf-8")))
                self.assertEqual(missing(code, NAMED), [])

    def test_scripts_named_in_results_exist(self):
        for path in sorted(SOURCE.glob("bench/results/*.json")):
            with self.subTest(path.name):
                self.assertEqual(missing(path.read_text(encoding="utf-8"), SCRIPT), [])

    def test_a_name_may_be_shortened_or_stand_for_several_files(self):
        names = "`tests/docs/links_test.py` `nn/linear.h` `ops/linear.{h,cc}` `docs/*_test.py` `yona/io/my_family.cc` `tests/NAME_fuzz.cc`"
        self.assertEqual(missing(names, NAMED), [])
        names = "`tests/docs/links_tests.py` `near.h` `ops/linear.{h,cu}` `docs/*_tests.py`"
        self.assertEqual(missing(names, NAMED), ["docs/*_tests.py", "near.h", "ops/linear.cu", "tests/docs/links_tests.py"])


if __name__ == "__main__":
    unittest.main()
