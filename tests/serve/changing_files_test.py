"""A served model's files cut, overwritten in place, deleted and replaced under load: the server lives, and every
answer is that of one of the models, or an error that says what happened."""
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "inspect"))
sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "serve"))
from demo_model import demo_model  # noqa: E402
from server_process import ServerProcess, wait_until  # noqa: E402

PROGRAM = os.environ["YONA_PROGRAM"]
TEXTS = ["half past three", "seven", "the first of May", "twenty minutes to nine"]


def body(text):
    return {"q": text, "source": "en", "target": "de"}


class Load:
    """Clients that ask until they are told to stop; what they were answered."""

    def __init__(self, server, clients=3):
        self.answers, self.done = [], threading.Event()
        self.threads = [threading.Thread(target=self.ask, args=(server, i)) for i in range(clients)]

    def ask(self, server, number):
        at = number
        while not self.done.is_set():
            text = TEXTS[at % len(TEXTS)]
            status, answer = server.post("/translate", body(text))
            self.answers.append((text, status, answer))
            at += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()


class ChangingFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.f32 = Path(demo_model(cls.temporary.name))
        cls.int8 = Path(cls.temporary.name) / "int8"
        subprocess.run([PROGRAM, "convert", "--quantize", "int8", "--model", cls.f32, "--output", cls.int8], check=True,
                       stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def serve(self, model):
        served = Path(self.temporary.name) / "served"
        shutil.rmtree(served, ignore_errors=True)
        shutil.copytree(model, served, ignore=shutil.ignore_patterns("checkpoints"))
        return served, ServerProcess("--model", served, "--longest-wait", 60)

    def expected(self, model):
        done = subprocess.run([PROGRAM, "translate", "-q", "--model", model], input="\n".join(TEXTS) + "\n",
                              capture_output=True, text=True, check=True)
        return dict(zip(TEXTS, done.stdout.splitlines()))

    def check_answers(self, load, expected):
        self.assertGreater(len(load.answers), 20)
        for text, status, answer in load.answers:
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["translatedText"], expected[text])

    def test_cut_overwritten_and_deleted_under_load(self):
        for model, name in ((self.f32, "model.safetensors"), (self.int8, "model.int8.safetensors")):
            expected = self.expected(model)
            served, server = self.serve(model)
            with server, Load(server) as load:
                self.assertTrue(wait_until(lambda: len(load.answers) > 10))
                whole = (served / name).read_bytes()
                os.truncate(served / name, 5000)
                time.sleep(2.5)
                with open(served / name, "r+b") as file:  # as `cp` does
                    file.write(bytes(len(whole)))
                time.sleep(2.5)
                (served / name).unlink()
                time.sleep(2.5)
                shutil.rmtree(served)
                time.sleep(2.5)
                shutil.copytree(model, served, ignore=shutil.ignore_patterns("checkpoints"))
                time.sleep(2.5)
                self.assertIsNone(server.process.poll())
            self.check_answers(load, expected)

    def test_a_damaged_folder_leaves_the_model_that_is_loaded(self):
        for model, name in ((self.f32, "model.safetensors"), (self.int8, "model.int8.safetensors")):
            expected = self.expected(model)
            served, server = self.serve(model)
            with server:
                self.assertEqual(server.post("/translate", body(TEXTS[0]))[0], 200)
                content = bytearray((served / name).read_bytes())
                content[len(content) // 2] ^= 1
                (served / "new").write_bytes(content)
                os.replace(served / "new", served / name)
                end = time.time() + 4
                while time.time() < end:
                    for text in TEXTS:
                        self.assertEqual(server.post("/translate", body(text))[1]["translatedText"], expected[text])
                    time.sleep(0.1)
                server.process.terminate()
                log = server.process.stderr.read()
            self.assertEqual(log.count("cannot be loaded"), 1, log)
            self.assertIn("is damaged: its checksum", log)

    def test_every_file_that_is_read_is_watched(self):
        served, server = self.serve(self.int8)
        with server:
            self.assertEqual(server.post("/translate", body(TEXTS[0]))[0], 200)
            names = ("model.int8.safetensors", "generation_config.json", "source.spm", "vocab.json")
            for name in names:
                shutil.copy(served / name, served / "new")
                os.replace(served / "new", served / name)
                end = time.time() + 3.5
                while time.time() < end:
                    server.post("/translate", body(TEXTS[0]))
                    time.sleep(0.1)
            server.process.terminate()
            log = server.process.stderr.read()
        self.assertEqual(log.count("loaded again"), len(names), log)


if __name__ == "__main__":
    unittest.main()
