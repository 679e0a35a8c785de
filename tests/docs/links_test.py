#!/usr/bin/env python3
"""Every relative link in the Markdown files leads to a file that exists and, with an anchor, to a heading of that page; every page of
docs/ is linked from the README."""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).parents[2]))
LINK = re.compile(r"\]\(([^()\s]+)\)")


def pages():
    folders = ["", "docs", "bench", "bench/notes", "recipes/*", "tests/*"]
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


if __name__ == "__main__":
    unittest.main()
