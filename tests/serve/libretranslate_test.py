"""LibreTranslate's own Python client (libretranslatepy, from PyPI) against `yona serve`.

Exits with 77 (skipped) where the client is not installed.
"""
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.error

sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "inspect"))
sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "serve"))
from demo_model import demo_model  # noqa: E402
from server_process import ServerProcess  # noqa: E402

try:
    from libretranslatepy import LibreTranslateAPI
except ImportError:
    print("skipped: libretranslatepy is not installed")
    sys.exit(77)

LINES = ["half past three", "the eleventh of February", "two", "seven hundred and forty-four"]


class LibreTranslateClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = demo_model(cls.folder.name)
        cls.server = ServerProcess("--model", cls.model)
        cls.client = LibreTranslateAPI(cls.server.url)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0
        cls.folder.cleanup()

    def test_translations_are_those_of_yona_translate(self):
        out = subprocess.run([os.environ["YONA_PROGRAM"], "-q", "translate", "--model", self.model],
                             input="\n".join(LINES) + "\n", capture_output=True, text=True, check=True).stdout
        self.assertEqual([self.client.translate(line, "en", "de") for line in LINES], out.splitlines())

    def test_source_may_be_found_out(self):
        self.assertEqual(self.client.translate(LINES[1], "auto", "de"), self.client.translate(LINES[1], "en", "de"))

    def test_detect(self):
        found = self.client.detect("The committee will meet again on Monday to discuss the proposals.")
        self.assertEqual(found[0]["language"], "en")
        self.assertGreater(found[0]["confidence"], 80)

    def test_languages(self):
        self.assertEqual(self.client.languages(), [{"code": "en", "name": "English", "targets": ["de"]},
                                                   {"code": "de", "name": "German", "targets": []}])

    def test_errors_have_their_status(self):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.client.translate("a", "en", "xx")
        self.assertEqual(caught.exception.code, 400)
        self.assertIn(b'"error"', caught.exception.read())


class ApiKeys(unittest.TestCase):
    def test_a_key_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = os.path.join(folder, "keys.json")
            with open(keys, "w", encoding="utf-8") as file:
                file.write('{"keys": [{"key": "mine"}]}')
            with ServerProcess("--model", demo_model(folder), "--api-keys", keys) as server:
                LibreTranslateAPI(server.url, "mine").translate("two", "en", "de")
                for key in (None, "wrong"):
                    with self.assertRaises(urllib.error.HTTPError) as caught:
                        LibreTranslateAPI(server.url, key).translate("two", "en", "de")
                    self.assertEqual(caught.exception.code, 403)


if __name__ == "__main__":
    unittest.main()
