"""`yona serve` as a whole: TLS, models that change under load, more load than it can take, clients that
misbehave."""
import gzip
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "inspect"))
sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "serve"))
from demo_model import demo_model  # noqa: E402
from server_process import ServerProcess, wait_until  # noqa: E402

BODY = {"q": "half past three", "source": "en", "target": "de"}


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = demo_model(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def make_certificate(self, certificate, key):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)

    def test_tls(self):
        if not shutil.which("openssl"):
            self.skipTest("no openssl to make a certificate with")
        certificate, key = self.path("cert.pem"), self.path("key.pem")
        self.make_certificate(certificate, key)
        context = ssl.create_default_context(cafile=certificate)
        with ServerProcess("--model", self.model, "--tls-certificate", certificate, "--tls-key", key) as server:
            request = urllib.request.Request(server.url + "/translate", data=json.dumps(BODY).encode(),
                                             headers={"Content-Type": "application/json"})
            with urllib.request.urlopen(request, context=context) as answer:
                self.assertIn("translatedText", json.loads(answer.read()))
            stream = urllib.request.Request(server.url + "/v1/translate",
                                            data=json.dumps({**BODY, "stream": True}).encode(),
                                            headers={"Content-Type": "application/json"})
            with urllib.request.urlopen(stream, context=context) as answer:
                self.assertIn(b"event: done", answer.read())
            with socket.create_connection(("127.0.0.1", server.port)) as plain:  # no TLS at all
                plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
                plain.settimeout(20)
                self.assertNotIn(b"200 OK", plain.recv(1000))
            with urllib.request.urlopen(server.url + "/health", context=context) as answer:
                self.assertEqual(answer.status, 200)

            before = ssl.get_server_certificate(("127.0.0.1", server.port))
            self.make_certificate(certificate, key)  # as programs that renew certificates do
            server.process.send_signal(signal.SIGHUP)
            self.assertTrue(wait_until(lambda: ssl.get_server_certificate(("127.0.0.1", server.port)) != before))
            with open(certificate, "w", encoding="ascii") as file:
                file.write("broken")
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            self.assertNotEqual(ssl.get_server_certificate(("127.0.0.1", server.port)), before)

    def test_pages_of_other_servers_may_ask_where_they_are_allowed_to(self):
        with ServerProcess("--model", self.model, "--allow-origin", "*") as server:
            asked = urllib.request.Request(server.url + "/translate", method="OPTIONS")
            with urllib.request.urlopen(asked) as answer:
                self.assertEqual(answer.status, 204)
                self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
                self.assertIn("Content-Type", answer.headers["Access-Control-Allow-Headers"])
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(server.url + "/nothing")
            self.assertEqual(refused.exception.headers["Access-Control-Allow-Origin"], "*")
        wrong = subprocess.run([os.environ["YONA_PROGRAM"], "serve", "--model", self.model, "--allow-origin", "a b"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--allow-origin: expected one like https://example.org, or '*', got 'a b'", wrong.stderr)

    def test_forms_of_parts_and_compressed_bodies(self):
        with ServerProcess("--model", self.model) as server:
            expected = server.post("/translate", BODY)
            self.assertEqual(expected[0], 200)
            if shutil.which("curl"):
                fields = [flag for name, value in BODY.items() for flag in ("-F", f"{name}={value}")]
                out = subprocess.run(["curl", "-s", *fields, server.url + "/translate"], capture_output=True, check=True)
                self.assertEqual(json.loads(out.stdout), expected[1])
                file = self.path("text.txt")
                with open(file, "w", encoding="utf-8") as text:
                    text.write(BODY["q"])
                out = subprocess.run(["curl", "-s", "-F", f"q=<{file}", *fields[2:], server.url + "/translate"],
                                     capture_output=True, check=True)
                self.assertEqual(json.loads(out.stdout), expected[1])
                out = subprocess.run(["curl", "-s", "-F", f"q=@{file}", *fields[2:], server.url + "/translate"],
                                     capture_output=True, check=True)
                self.assertEqual(json.loads(out.stdout),
                                 {"error": 'multipart/form-data: "q" is a file; expected its text'})
            # As requests (urllib3) writes them.
            boundary = "2fd1b2c8a8e04e3d9c36cd7a5a3ab5e1"
            parts = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                            for name, value in BODY.items()) + f"--{boundary}--\r\n"
            request = urllib.request.Request(server.url + "/translate", data=parts.encode(), headers={
                "Content-Type": f"multipart/form-data; boundary={boundary}"})
            self.assertEqual(server.answer(request, 60), expected)

            def compressed(body, coding="gzip"):
                return server.answer(urllib.request.Request(server.url + "/translate", data=body, headers={
                    "Content-Type": "application/json", "Content-Encoding": coding}), 60)
            packed = gzip.compress(json.dumps(BODY).encode())
            self.assertEqual(compressed(packed), expected)
            self.assertEqual(compressed(packed[:-9])[0], 400)
            self.assertEqual(compressed(gzip.compress(b" " * (200 << 20)))[0], 413)
            self.assertEqual(compressed(packed, "br")[0], 415)

    def test_what_never_ends_takes_no_memory(self):
        start = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        line = b"a" * 65536

        def resident(server):
            with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
                return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) << 10

        def send(server, first, piece):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                try:
                    client.sendall(start + first)
                    for _ in range((32 << 20) // len(piece)):
                        client.sendall(piece)
                except OSError:
                    pass  # it was refused
        if not os.path.exists("/proc/self/status"):
            self.skipTest("no /proc")
        if os.environ.get("YONA_SANITIZED"):
            self.skipTest("sanitizers keep memory that is given back")
        with ServerProcess("--model", self.model) as server:
            self.assertEqual(server.get("/health")[0], 200)
            before = resident(server)
            ends = [(b"5;", line), (b"0\r\nX: ", line), (b"0\r\n", b"X: " + line + b"\r\n"), (b"", b"1;x\r\na\r\n" * 100),
                    (b"0\r\n", b"X: y\r\n" * 100)]
            threads = [threading.Thread(target=send, args=(server, *end)) for end in ends * 4]
            for thread in threads:
                thread.start()
            most = before
            while any(thread.is_alive() for thread in threads):
                most = max(most, resident(server))
                time.sleep(0.01)
            self.assertLess(max(most, resident(server)) - before, 32 << 20)
            self.assertEqual(server.get("/health")[0], 200)

    def test_one_long_text_does_not_keep_others_waiting(self):
        # Small batches and a long wait: a sanitized server is slow, and foresees minutes.
        with ServerProcess("--model", self.model, "--longest-wait", 3600, "--batch-tokens", 256) as server:
            long = threading.Thread(target=server.post, args=("/v1/translate", {
                **BODY, "q": "half past three " * 5000, "deadline": 30}))
            server.post("/translate", BODY)  # the model is loaded
            long.start()
            time.sleep(0.2)
            start = time.monotonic()
            self.assertEqual(server.post("/translate", BODY)[0], 200)
            self.assertLess(time.monotonic() - start, 20)
            long.join()

    def test_a_model_that_changes_drops_no_request(self):
        served = self.path("served")
        shutil.copytree(self.model, served)
        statuses, done = [], threading.Event()

        def ask(server):
            while not done.is_set():
                statuses.append(server.post("/translate", BODY)[0])
        # A sanitized server is slow enough to foresee more than two seconds.
        with ServerProcess("--model", served, "--longest-wait", 60) as server:
            threads = [threading.Thread(target=ask, args=(server,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for _ in range(5):
                shutil.copy(os.path.join(self.model, "model.safetensors"), os.path.join(served, "new"))
                os.replace(os.path.join(served, "new"), os.path.join(served, "model.safetensors"))
                server.process.send_signal(signal.SIGHUP)
                time.sleep(0.3)
            done.set()
            for thread in threads:
                thread.join()
            self.assertEqual(set(statuses), {200})
            self.assertEqual(server.end(), 0)

    def test_too_much_is_refused_and_the_rest_answered(self):
        with ServerProcess("--model", self.model, "--queue-tokens", 200, "--batch-tokens", 64) as server:
            answers = []

            def ask():
                for _ in range(20):
                    answers.append(server.post("/translate", {**BODY, "q": ["half past three"] * 5}))
            threads = [threading.Thread(target=ask) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            statuses = {status for status, _ in answers}
            self.assertLessEqual(statuses, {200, 503})
            self.assertIn(200, statuses)
            texts = {json.dumps(body) for status, body in answers if status == 200}
            self.assertEqual(len(texts), 1)

    def test_clients_that_misbehave_do_not_disturb_others(self):
        with ServerProcess("--model", self.model) as server:
            body = json.dumps({**BODY, "q": ["half past three"] * 100}).encode()
            head = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            for sent in (b"", b"POST", b"\x00\xff" * 100, head % len(body), head % len(body) + body[:50],
                         head % len(body) + body, head % (10 ** 15), b"GET / HTTP/1.1\r\n" * 10):
                for _ in range(5):
                    with socket.create_connection(("127.0.0.1", server.port)) as client:
                        client.sendall(sent)
            waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
            self.assertEqual(server.post("/translate", BODY)[0], 200)
            for client in waiting:
                client.close()
            self.assertTrue(wait_until(lambda: b"\nyona_waiting_requests 0\n" in urllib.request.urlopen(
                server.url + "/metrics").read()))
            self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
