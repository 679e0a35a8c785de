"""OpenAI's API of `yona serve`, asked as clients ask it: over a connection by hand, and by the official client where it
is installed."""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "serve"))
from language_folder import language_folder  # noqa: E402
from server_process import ServerProcess, wait_until  # noqa: E402

try:
    import openai
except ImportError:
    openai = None

HI = [{"role": "user", "content": "Hi"}]
SCHEMA = {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 99},
                                           "colour": {"enum": ["red", "green"]}},
          "required": ["age", "colour"], "additionalProperties": False}


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = language_folder(os.path.join(cls.temporary.name, "toy"))
        cls.server = ServerProcess("--model", cls.folder)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0
        cls.temporary.cleanup()

    def offline(self, prompt, *flags):
        """The answers of `yona generate`, as its JSON lines."""
        output = subprocess.run([os.environ["YONA_PROGRAM"], "generate", "--model", self.folder, "--prompt", prompt,
                                 "--json", *map(str, flags)], check=True, capture_output=True).stdout
        return [json.loads(line) for line in output.splitlines()]


class ByHand(Served):
    def ask(self, path, body, status=200):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.assertEqual(answer.status, status, text)
        if answer.headers["Content-Type"] != "text/event-stream":
            return json.loads(text)
        events = [line[6:] for line in text.split("\n\n") if line.startswith("data: ")]
        self.assertEqual(events[-1], "[DONE]")
        return [json.loads(event) for event in events[:-1]]

    def figure(self, name):
        with urllib.request.urlopen(self.server.url + "/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))

    def complete(self, status=200, **body):
        return self.ask("/v1/completions", body, status)

    def chat(self, status=200, **body):
        return self.ask("/v1/chat/completions", {"messages": HI, **body}, status)

    def test_completions_are_those_of_generate(self):
        for flags, body in ((("--temperature", 0), {"temperature": 0}),
                            (("--temperature", 1, "--seed", 5, "--n", 3), {"seed": 5, "n": 3}),
                            (("--temperature", 0.7, "--top-p", 0.9, "--top-k", 40, "--seed", 6),
                             {"temperature": 0.7, "top_p": 0.9, "top_k": 40, "seed": 6})):
            expected = self.offline("The dog", "--max-new", 20, *flags)
            answer = self.complete(prompt="The dog", max_tokens=20, **body)
            self.assertEqual([choice["text"] for choice in answer["choices"]], [line["text"] for line in expected])
            self.assertEqual([choice["finish_reason"] for choice in answer["choices"]],
                             [line["finish"] for line in expected])
            self.assertEqual(answer["usage"]["prompt_tokens"], expected[0]["prompt_tokens"])
            self.assertEqual(answer["usage"]["completion_tokens"], sum(len(line["tokens"]) for line in expected))

    def test_answers_do_not_depend_on_the_others_under_way(self):
        prompts = [f"Text {i} begins" for i in range(9)]
        expected = [self.offline(prompt, "--max-new", 40, "--temperature", 1, "--seed", 3)[0]["text"]
                    for prompt in prompts]
        answers = [None] * len(prompts)

        def ask(i):
            answers[i] = self.complete(prompt=prompts[i], max_tokens=40, seed=3)["choices"][0]["text"]

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(prompts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, expected)

    def test_a_stream_joins_to_the_whole_text(self):
        body = {"prompt": "The dog", "max_tokens": 30, "seed": 9, "n": 2}
        whole = self.complete(**body)
        texts = ["", ""]
        events = self.complete(**body, stream=True, stream_options={"include_usage": True})
        for event in events[:-1]:
            choice = event["choices"][0]
            texts[choice["index"]] += choice["text"]
        self.assertEqual(texts, [choice["text"] for choice in whole["choices"]])
        self.assertEqual(events[-1]["usage"], whole["usage"])

    def test_logprobs(self):
        answer = self.complete(prompt="The dog", max_tokens=5, temperature=0, logprobs=3)["choices"][0]["logprobs"]
        self.assertEqual({len(answer[name]) for name in ("tokens", "token_logprobs", "top_logprobs", "text_offset")}, {5})
        expected = self.offline("The dog", "--max-new", 5, "--top-logprobs", 3)[0]["logprobs"]
        for got, want in zip(answer["token_logprobs"], expected):
            self.assertAlmostEqual(got, want, places=5)
        content = self.chat(max_tokens=4, logprobs=True, top_logprobs=2)["choices"][0]["logprobs"]["content"]
        self.assertEqual([len(token["top_logprobs"]) for token in content], [2] * len(content))

    def test_stop(self):
        whole = self.complete(prompt="The dog", max_tokens=40, seed=2)["choices"][0]["text"]
        characters = [c for c in whole if c.isprintable() and c != "\ufffd"]
        stop = characters[len(characters) // 2]
        answer = self.complete(prompt="The dog", max_tokens=40, seed=2, stop=[stop])["choices"][0]
        self.assertEqual(answer["text"], whole[:whole.index(stop)])
        self.assertEqual(answer["finish_reason"], "stop")

    def test_response_format(self):
        form = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}}
        for seed in range(3):
            choice = self.chat(max_tokens=100, seed=seed, response_format=form)["choices"][0]
            if choice["finish_reason"] == "stop":
                value = json.loads(choice["message"]["content"])
                self.assertEqual(set(value), {"age", "colour"})
                self.assertIn(value["age"], range(100))
        unmet = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "nothing"}}}
        self.assertIn("json schema", self.chat(400, max_tokens=10, response_format=unmet)["error"]["message"])

    def test_errors_name_what_is_wrong(self):
        self.assertEqual(self.complete(404, model="gpt-4", prompt="a")["error"]["code"], "model_not_found")
        self.assertEqual(self.complete(400, prompt="a", temperature=9)["error"]["param"], "temperature")
        self.assertIn("context of 128", self.complete(400, prompt="a", max_tokens=1000)["error"]["message"])
        self.assertIn("context is 128", self.complete(400, prompt="word " * 300)["error"]["message"])
        self.assertIn("1048576 are allowed",
                      self.complete(413, prompt=["a"] * 300, n=32, max_tokens=128)["error"]["message"])
        refused = self.ask("/v1/chat/completions", {"messages": [{"role": "judge", "content": "Hi"}]}, 400)
        self.assertEqual(refused["error"]["message"], "chat template: unknown role judge")
        self.assertEqual(self.server.post("/translate", {"q": "a", "source": "en", "target": "de"}),
                         (404, {"error": "no translation model is served here; /v1/models lists what is"}))
        self.assertEqual(self.complete(prompt="a", max_tokens=1)["usage"]["completion_tokens"], 1)

    def test_models_and_figures(self):
        status, answer = self.server.get("/v1/models")
        self.assertEqual(status, 200)
        self.assertEqual([(model["id"], model["task"]) for model in answer["data"]], [("toy", "generation")])
        self.assertIn("/v1/chat/completions", self.server.get("/openapi.json")[1]["paths"])
        before = self.figure("yona_generated_tokens_total")
        self.complete(prompt="The dog", max_tokens=20, seed=1)
        self.assertGreater(self.figure("yona_generated_tokens_total"), before)
        self.assertTrue(wait_until(lambda: self.figure("yona_generation_requests") == 0))
        self.assertEqual(self.figure("yona_generation_waiting_requests"), 0)

    def test_a_client_that_leaves_is_noticed(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("POST", "/v1/completions",
                           json.dumps({"prompt": ["The dog"] * 500, "max_tokens": 100, "n": 16, "stream": True,
                                       "temperature": 1}), {"Content-Type": "application/json"})
        connection.sock.recv(1000)
        connection.sock.close()
        connection.close()
        self.assertEqual(self.complete(prompt="a", max_tokens=3)["object"], "text_completion")
        self.assertTrue(wait_until(lambda: self.figure("yona_generation_gone_total") > 0))


@unittest.skipIf(openai is None, "the Python package openai is not installed")
class OpenAiClient(Served):
    def setUp(self):
        self.client = openai.OpenAI(base_url=self.server.url + "/v1", api_key="none", max_retries=0)
        self.addCleanup(self.client.close)

    def test_models(self):
        self.assertEqual([model.id for model in self.client.models.list()], ["toy"])
        self.assertEqual(self.client.models.retrieve("toy").id, "toy")
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("none")

    def test_completions(self):
        answer = self.client.completions.create(model="toy", prompt="The dog", max_tokens=12, seed=3, n=2, logprobs=1)
        expected = self.offline("The dog", "--max-new", 12, "--temperature", 1, "--seed", 3, "--n", 2)
        self.assertEqual([choice.text for choice in answer.choices], [line["text"] for line in expected])
        self.assertEqual(len(answer.choices[0].logprobs.tokens), len(expected[0]["tokens"]))
        self.assertEqual(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens)

    def test_chats(self):
        answer = self.client.chat.completions.create(model="toy", messages=HI, max_completion_tokens=9, logprobs=True,
                                                     top_logprobs=2, stop=["never comes"])
        self.assertEqual(answer.choices[0].message.role, "assistant")
        self.assertIn(answer.choices[0].finish_reason, ("stop", "length"))
        self.assertEqual(len(answer.choices[0].logprobs.content), answer.usage.completion_tokens)

    def test_streams(self):
        whole = self.client.chat.completions.create(model="toy", messages=HI, max_tokens=20, seed=4)
        stream = self.client.chat.completions.create(model="toy", messages=HI, max_tokens=20, seed=4, stream=True,
                                                     stream_options={"include_usage": True})
        text, usage = "", None
        for chunk in stream:
            if chunk.choices:
                text += chunk.choices[0].delta.content or ""
            usage = chunk.usage or usage
        self.assertEqual(text, whole.choices[0].message.content)
        self.assertEqual(usage, whole.usage)
        pieces = self.client.completions.create(model="toy", prompt="a", max_tokens=9, seed=4, stream=True)
        self.assertTrue("".join(piece.choices[0].text for piece in pieces))

    def test_response_formats(self):
        answer = self.client.chat.completions.create(
            model="toy", messages=HI, max_tokens=100, seed=1,
            response_format={"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA}})
        if answer.choices[0].finish_reason == "stop":
            self.assertEqual(set(json.loads(answer.choices[0].message.content)), {"age", "colour"})

    def test_errors(self):
        with self.assertRaises(openai.NotFoundError) as caught:
            self.client.completions.create(model="gpt-4", prompt="a")
        self.assertIn("there is toy", str(caught.exception))
        with self.assertRaises(openai.BadRequestError):
            self.client.completions.create(model="toy", prompt="a", max_tokens=100000)


class BothKinds(unittest.TestCase):
    def test_folders_of_both_kinds_keys_and_a_cache_of_its_size(self):
        sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "inspect"))
        from demo_model import demo_model
        with tempfile.TemporaryDirectory() as folder:
            toy = language_folder(os.path.join(folder, "toy"), chat=False)
            keys = os.path.join(folder, "keys.json")
            with open(keys, "w", encoding="utf-8") as file:
                json.dump({"keys": [{"key": "secret"}]}, file)
            with ServerProcess("--model", demo_model(folder), f"small={toy}", "--api-keys", keys, "--kv-cache",
                               "1", "--max-answers", "2") as server:
                _, models = server.get("/v1/models")
                self.assertEqual([(model["id"], model["task"]) for model in models["data"]],
                                 [("en-de", "translation"), ("small", "generation")])
                body = {"prompt": "a", "max_tokens": 5, "model": "small"}
                self.assertEqual(server.post("/v1/completions", body)[0], 403)
                bearer = {"Authorization": "Bearer secret"}
                self.assertEqual(server.post("/v1/completions", body, headers=bearer)[0], 200)
                status, answer = server.post("/v1/completions", {**body, "n": 3}, headers=bearer)
                self.assertEqual((status, answer["error"]["message"]),
                                 (400, '"n": expected at most 2 answers, got 3'))
                status, answer = server.post("/v1/chat/completions", {"messages": HI, "model": "small"}, headers=bearer)
                self.assertEqual((status, answer["error"]["message"]),
                                 (400, "the model 'small' has no chat template; use /v1/completions"))
                status, answer = server.post("/translate", {"q": "half past three", "source": "en", "target": "de"},
                                             headers=bearer)
                self.assertEqual(status, 200)
                self.assertIn("translatedText", answer)


if __name__ == "__main__":
    if openai is None:
        print("the Python package openai is not installed: its tests are skipped")
    unittest.main()
