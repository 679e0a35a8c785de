"""A server under attack, and honest clients that compare every answer with offline translation."""
import http.client
import json
import re
import signal
import subprocess
import threading
import time


class Server:
    """`yona serve` on a port of its own; its last words are kept."""

    def __init__(self, program, *flags):
        self.process = subprocess.Popen([program.path, "serve", "--port", "0", *map(str, flags)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.said, self.port = [], None
        ready = threading.Event()
        self.reader = threading.Thread(target=self.listen, args=(ready,), daemon=True)
        self.reader.start()
        ready.wait(120)
        if self.port is None:
            raise RuntimeError("the server did not start: " + self.last_words())

    def listen(self, ready):
        for line in self.process.stderr:
            self.said = [*self.said[-50:], line.decode(errors="replace").rstrip()]
            found = re.search(r" at https?://[^ ]*:(\d+);", self.said[-1])
            if found and self.port is None:
                self.port = int(found.group(1))
                ready.set()
        ready.set()

    def last_words(self):
        return " / ".join(self.said[-3:])

    def is_running(self):
        return self.process.poll() is None

    def memory(self):
        """Resident bytes; 0 when it has gone."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096
        except (OSError, IndexError):
            return 0

    def end(self):
        """SIGTERM; gives the exit code, None when it had to be killed."""
        if self.is_running():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


def ask(port, path, body, seconds=60):
    """Status and JSON of one request. Throws OSError or http.client.HTTPException when there is no answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class HonestClients:
    """Threads that ask one sentence after another while a turn lasts. An answer is right when it is one of those that
    `allowed(kind, sentence)` has; a refusal must be a status of its own with a message."""

    REFUSALS = {500, 503, 504}  # a model that cannot be read; too much to do; the deadline

    def __init__(self, server, report, sentences, pairs, allowed):
        self.server, self.report, self.sentences, self.allowed = server, report, sentences, allowed
        self.pairs = pairs  # kind → its languages
        self.done = threading.Event()
        self.answered, self.refused = 0, 0
        self.lock = threading.Lock()
        self.threads = []

    def start(self, count, random):
        for number in range(count):
            kind = sorted(self.pairs)[number % len(self.pairs)]
            order = [random.choice(self.sentences) for _ in range(1000)]
            self.threads.append(threading.Thread(target=self.keep_asking, args=(kind, order), daemon=True))
            self.threads[-1].start()

    def keep_asking(self, kind, order):
        at = 0
        while not self.done.is_set() and self.server.is_running():
            self.ask_one(kind, order[at % len(order)])
            at += 1
            self.done.wait(0.02)

    def ask_one(self, kind, sentence):
        source, target = self.pairs[kind]
        begin = time.monotonic()
        try:
            status, answer = ask(self.server.port, "/translate",
                                 {"q": sentence, "source": source, "target": target}, 90)
        except (OSError, http.client.HTTPException, ValueError) as error:
            time.sleep(0.2)  # a server that has died is told of once, by its owner
            if self.server.is_running():
                self.report.check(False, "an honest client is answered", f"{kind}: {type(error).__name__}: {error}")
            return
        seconds = time.monotonic() - begin
        with self.lock:
            self.answered += status == 200
            self.refused += status != 200
        if status == 200:
            self.report.figure(f"honest latency, {kind}, seconds", seconds)
            self.report.check(answer.get("translatedText") in self.allowed(kind, sentence),
                              "an honest answer is that of offline translation",
                              f"{kind}: {sentence!r} gave {answer!r} and not {self.allowed(kind, sentence)}")
        else:
            self.report.check(status in self.REFUSALS and bool(answer.get("error")),
                              "an honest client is refused clearly", f"{kind}: {status} {answer!r}")

    def end(self):
        self.done.set()
        for thread in self.threads:
            thread.join(100)
        self.report.check(not any(thread.is_alive() for thread in self.threads), "every honest client gets an answer",
                          "one still waits after 100 s")


class MemoryWatch:
    """The most memory that a server had while this was watching."""

    def __init__(self, server):
        self.server, self.most = server, server.memory()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.done.wait(0.05):
            self.most = max(self.most, self.server.memory())

    def end(self):
        self.done.set()
        self.thread.join()
        return self.most
