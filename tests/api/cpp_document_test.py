"""docs/cpp.md shows the examples as they are, and names types that the API has."""

import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).parents[2]))
DOCUMENT = (SOURCE / "docs/cpp.md").read_text(encoding="utf-8")


def api_headers():
    """yona/yona.h and what it includes of yona: what is installed."""
    found, waiting = set(), ["yona/yona.h"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            text = (SOURCE / name).read_text(encoding="utf-8")
            waiting += re.findall(r'^#include "(yona/[^"]+)"', text, re.MULTILINE)
    return found


class Document(unittest.TestCase):
    def test_examples_are_shown_as_they_are(self):
        blocks = re.findall(r"```cpp\n(.*?)```", DOCUMENT, re.DOTALL)
        examples = sorted((SOURCE / "examples").glob("*.cc"))
        self.assertGreaterEqual(len(examples), 4)
        for path in examples:
            self.assertIn(path.read_text(encoding="utf-8"), blocks, path.name)
            self.assertIn(f"(../examples/{path.name})", DOCUMENT)

    def test_the_shortest_example_is_15_lines(self):
        self.assertEqual(len((SOURCE / "examples/translate.cc").read_text().splitlines()), 15)

    def test_types_are_those_of_the_api(self):
        text = "\n".join((SOURCE / name).read_text(encoding="utf-8") for name in api_headers())
        types = re.findall(r"^\| `(\w+)` \|", DOCUMENT, re.MULTILINE)
        self.assertGreater(len(types), 10)
        for name in types:
            self.assertRegex(text, rf"(struct|class) {name} ", name)

    def test_headers_of_the_api_include_the_standard_library_alone(self):
        for name in api_headers():
            text = (SOURCE / name).read_text(encoding="utf-8")
            for included in re.findall(r"^#include <([^>]+)>", text, re.MULTILINE):
                self.assertRegex(included, r"^[a-z_]+$", f"{name} includes <{included}>")


if __name__ == "__main__":
    unittest.main()
