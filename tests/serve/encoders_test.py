"""Encoders behind `yona serve`: /v1/embeddings and /v1/classify, by hand and by OpenAI's client where it is installed."""
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
import zlib

sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "serve"))
from server_process import ServerProcess, wait_until  # noqa: E402

try:
    import openai
except ImportError:
    openai = None

FIXTURES = os.environ["YONA_FIXTURES"]
BERT = os.path.join(FIXTURES, "encoders", "bert-classes")
VIT = os.path.join(FIXTURES, "vit", "deit")
TEXTS = ["the film is good", "a bad one", "it is"]


def png(size=20):
    """A picture in colour."""
    rows = b"".join(b"\0" + bytes((x * 9 + y * c * 5) % 256 for x in range(size) for c in range(3)) for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def offline(*arguments, text=None):
    """The JSON lines of a command."""
    output = subprocess.run([os.environ["YONA_PROGRAM"], *arguments, "--json"], input=text, check=True,
                            capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ServerProcess("--model", f"bert={BERT}", f"vit={VIT}")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0

    def ask(self, path, body, status=200):
        found, answer = self.server.post(path, body)
        self.assertEqual(found, status, answer)
        return answer

    def embed(self, status=200, **body):
        return self.ask("/v1/embeddings", {"model": "bert", **body}, status)

    def classify(self, status=200, **body):
        return self.ask("/v1/classify", {"model": "bert", **body}, status)

    def figure(self, name):
        with urllib.request.urlopen(self.server.url + "/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))


class ByHand(Served):
    def assert_near(self, got, want):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertAlmostEqual(a, b, places=5)

    def test_vectors_are_those_of_embed(self):
        expected = offline("embed", "--model", BERT, text="\n".join(TEXTS) + "\n")
        answer = self.embed(input=TEXTS)
        self.assertEqual(answer["object"], "list")
        self.assertEqual(answer["model"], "bert")
        for i, item in enumerate(answer["data"]):
            self.assertEqual((item["object"], item["index"]), ("embedding", i))
            self.assert_near(item["embedding"], expected[i]["embedding"])
        tokens = sum(line["tokens"] for line in expected)
        self.assertEqual(answer["usage"], {"prompt_tokens": tokens, "total_tokens": tokens})
        self.assert_near(self.embed(input=TEXTS[0])["data"][0]["embedding"], expected[0]["embedding"])

    def test_base64_dimensions_and_pooling(self):
        numbers = self.embed(input="it is")["data"][0]["embedding"]
        text = self.embed(input="it is", encoding_format="base64")["data"][0]["embedding"]
        self.assert_near(struct.unpack(f"<{len(numbers)}f", base64.b64decode(text)), numbers)
        short = self.embed(input="it is", dimensions=4)["data"][0]["embedding"]
        length = sum(x * x for x in numbers[:4]) ** 0.5
        self.assert_near(short, [x / length for x in numbers[:4]])
        expected = offline("embed", "--model", BERT, "--pooling", "cls", "--no-normalize", text="it is\n")
        got = self.embed(input="it is", pooling="cls", normalize=False)["data"][0]["embedding"]
        self.assert_near(got, expected[0]["embedding"])

    def test_tokens_are_read_as_texts_are(self):
        one, two = (self.embed(input=ids)["data"][0]["embedding"] for ids in ([7, 9, 11], [[7, 9, 11], [8]]))
        self.assert_near(one, two)
        self.assertEqual(self.embed(input=[7, 9, 11])["usage"]["prompt_tokens"], 5)
        self.assertIn("there is no token 1000000", self.embed(400, input=[1000000])["error"]["message"])

    def test_labels_are_those_of_classify(self):
        expected = offline("classify", "--model", BERT, text="\n".join(TEXTS) + "\nthe film\ta bad one\n")
        answer = self.classify(input=TEXTS + [["the film", "a bad one"]])
        for item, line in zip(answer["data"], expected, strict=True):
            self.assertEqual(item["label"], line["label"])
            self.assertEqual({each["label"]: round(each["score"], 5) for each in item["labels"]},
                             {label: round(score, 5) for label, score in line["labels"].items()})
            self.assertAlmostEqual(sum(each["score"] for each in item["labels"]), 1, places=5)

    def test_labels_of_pictures(self):
        picture = png()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            with open(path, "wb") as file:
                file.write(picture)
            expected = offline("classify", "--model", VIT, "--image", path)[0]
        text = base64.b64encode(picture).decode()
        answer = self.classify(model="vit", image=[text, "data:image/png;base64," + text])
        for item in answer["data"]:
            self.assertEqual(item["label"], expected["label"])
            self.assertAlmostEqual(item["score"], expected["score"], places=5)
        cut = base64.b64encode(picture[:60]).decode()
        self.assertIn("picture 2", self.classify(400, model="vit", image=[text, cut])["error"]["message"])
        self.assertIn("not base64", self.classify(400, model="vit", image="?")["error"]["message"])

    def test_long_texts_are_cut_and_say_so(self):
        item = self.embed(input="film " * 500)["data"][0]
        self.assertTrue(item["truncated"])
        self.assertNotIn("truncated", self.embed(input="film")["data"][0])

    def test_errors_name_what_is_wrong(self):
        self.assertEqual(self.embed(404, model="gpt-4", input="a")["error"]["code"], "model_not_found")
        self.assertEqual(self.embed(400, input=[])["error"]["param"], "input")
        self.assertEqual(self.embed(400, input=[["a"]])["error"]["param"], "input")
        self.assertEqual(self.embed(400, input="a", encoding_format="int8")["error"]["param"], "encoding_format")
        self.assertEqual(self.embed(400, input="a", dimensions=10000)["error"]["param"], "dimensions")
        self.assertIn("no prompt 'query'", self.embed(400, input="a", prompt="query")["error"]["message"])
        self.assertIn("takes pictures", self.embed(400, model="vit", input="a")["error"]["message"])
        self.assertIn('"image" is missing', self.classify(400, model="vit", input="a")["error"]["message"])
        self.assertIn('"input" is missing', self.classify(400)["error"]["message"])
        self.assertIn("1000 are allowed", self.embed(400, input=["a"] * 1001)["error"]["message"])
        self.assertIn("100000 are allowed", self.embed(400, input="a" * 100001)["error"]["message"])
        self.assertEqual(len(self.embed(input="a")["data"]), 1)

    def test_requests_at_once_share_batches_and_keep_their_answers(self):
        texts = [f"the film is number {i} " + "good " * (i % 7) for i in range(40)]
        expected = [item["embedding"] for item in self.embed(input=texts)["data"]]
        got, before = [None] * len(texts), self.figure("yona_encoder_batches_total")

        def ask(i):
            got[i] = self.embed(input=texts[i])["data"][0]["embedding"]

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, vector in enumerate(got):
            self.assert_near(vector, expected[i])
        self.assertLess(self.figure("yona_encoder_batches_total") - before, len(texts))

    def test_models_and_figures(self):
        _, answer = self.server.get("/v1/models")
        self.assertEqual([(model["id"], model["task"]) for model in answer["data"]],
                         [("bert", "classification"), ("vit", "image-classification")])
        self.assertTrue(answer["data"][0]["labels"])
        self.assertIn("/v1/embeddings", self.server.get("/openapi.json")[1]["paths"])
        before = self.figure("yona_encoder_inputs_total")
        self.embed(input=TEXTS)
        for _ in range(100):  # counted once the answer has been sent
            if self.figure("yona_encoder_inputs_total") == before + 3:
                break
            time.sleep(0.05)
        self.assertEqual(self.figure("yona_encoder_inputs_total"), before + 3)
        self.assertEqual(self.figure("yona_encoder_waiting_requests"), 0)


@unittest.skipIf(openai is None, "the Python package openai is not installed")
class OpenAiClient(Served):
    def setUp(self):
        self.client = openai.OpenAI(base_url=self.server.url + "/v1", api_key="none", max_retries=0)
        self.addCleanup(self.client.close)

    def test_embeddings(self):
        for form in ({}, {"encoding_format": "float"}):  # the client asks for base64 unless told
            answer = self.client.embeddings.create(model="bert", input=TEXTS, **form)
            expected = offline("embed", "--model", BERT, text="\n".join(TEXTS) + "\n")
            for item, line in zip(answer.data, expected, strict=True):
                self.assertEqual(len(item.embedding), len(line["embedding"]))
                self.assertAlmostEqual(item.embedding[0], line["embedding"][0], places=5)
            self.assertEqual(answer.usage.total_tokens, sum(line["tokens"] for line in expected))
        self.assertEqual(len(self.client.embeddings.create(model="bert", input=[[5, 6]], dimensions=3).data[0].embedding), 3)

    def test_errors(self):
        with self.assertRaises(openai.NotFoundError):
            self.client.embeddings.create(model="text-embedding-3-small", input="a")
        with self.assertRaises(openai.BadRequestError):
            self.client.embeddings.create(model="bert", input="a", dimensions=100000)


class Operation(unittest.TestCase):
    def test_keys_and_a_folder_that_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            model = shutil.copytree(BERT, os.path.join(folder, "m"))
            keys = os.path.join(folder, "keys.json")
            with open(keys, "w", encoding="utf-8") as file:
                json.dump({"keys": [{"key": "secret"}]}, file)
            with ServerProcess("--model", model, "--api-keys", keys) as server:
                bearer = {"Authorization": "Bearer secret"}
                self.assertEqual(server.post("/v1/embeddings", {"input": "a"})[0], 403)
                status, before = server.post("/v1/embeddings", {"input": "film"}, headers=bearer)
                self.assertEqual((status, before["model"]), (200, "m"))
                other = os.path.join(FIXTURES, "encoders", "bert-masked-lm")
                for name in os.listdir(other):
                    shutil.copy(os.path.join(other, name), model)
                os.remove(os.path.join(model, "tokenizer.json"))

                def has_changed():
                    answer = server.post("/v1/embeddings", {"input": "film"}, headers=bearer)[1]
                    return answer["data"][0]["embedding"] != before["data"][0]["embedding"]

                self.assertTrue(wait_until(has_changed))

    def test_two_folders_of_one_name_are_refused(self):
        result = subprocess.run([os.environ["YONA_PROGRAM"], "serve", "--port", "0", "--model", f"a={BERT}", f"a={VIT}"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("are both named a; say NAME=DIR", result.stderr)


if __name__ == "__main__":
    if openai is None:
        print("the Python package openai is not installed: its tests are skipped")
    unittest.main()
