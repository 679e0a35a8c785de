"""Latency of short requests to `yona serve`, alone and while four clients send the worst requests that it accepts.

  bench/serve/hogs.py --model tiny=RUN [base_int8=DIR …] [--seconds 20] [--output bench/results/serve_hogs.json]

Hogs, four at once, each a process that asks again as soon as it is answered:
  search    beam 64, max_length 4096, 100 sentences; lowered (max_length, then sentences) until it is not refused
  mixed     a document of 100 sentences; attention of the longest text that is accepted; a glossary with 32 uses in a
            sentence at beam 64; the largest tree of a beam and the longest step explained, in turn
  attention four times attention of the longest text that is accepted: the largest answers
  medium    four times attention of half of that text: requests that are not much larger than short ones

Short requests alone and with each kind of hogs are measured in turn, --rounds times. One line of JSON for each model:
p50 and p99 of short requests in milliseconds, alone and with each kind of hogs, and what is added at both; statuses of
all answers; wrong answers (other than alone); how long the server computed at most between two places where it can be
preempted, and how often longer than 50 ms (/metrics).
"""
import argparse
import collections
import http.client
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import re
import threading
import time

from run import ROOT, Server, cpu_name

SHORT = ["two dogs run", "a quarter past seven", "the first of May", "six minutes past eleven", "seven euros"]


def percentile(values, share):
    values = sorted(values)
    return round(1e3 * values[min(len(values) - 1, int(share * len(values)))], 1)


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def get(self, path):
        self.connection.request("GET", path)
        return self.connection.getresponse().read().decode()

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, answer.read()


def worst_search(client):
    """The search request as large as it may be: of few sentences if need be, then with shorter outputs."""
    for length in (4096, 2048, 1024, 768, 512, 384, 256, 128):
        for sentences in (100, 50, 25, 12, 6, 3, 1):
            body = {"q": ["two dogs run %d" % i for i in range(sentences)], "beam": 64, "max_length": length, "deadline": 0.001}
            if client.post("/v1/translate", body)[0] != 413:
                return {**body, "deadline": 30}
    sys.exit("no search is accepted")


def worst_attention(client):
    for words in (2000, 1000, 500, 250, 200, 150, 120, 100, 80, 60, 40, 20, 10):
        body = {"q": "dog " * words, "split": "none", "attention": True}
        if client.post("/v1/translate", body)[0] == 200:
            return body
    sys.exit("no attention is accepted")


def worst_glossary(client):
    terms = [{"source": w, "target": w.upper()} for w in "two dogs run past seven".split()]
    for uses, beam in ((32, 64), (16, 64), (8, 64), (4, 16)):
        body = {"q": " ".join(t["source"] for t in (terms * 7)[:uses]), "beam": beam, "max_length": 200, "glossary": terms,
                "deadline": 0.001}
        if client.post("/v1/translate", body)[0] not in (400, 413):
            return {**body, "deadline": 30}
    sys.exit("no glossary is accepted")


def worst_explained(client):
    for words in (250, 200, 150, 120, 100, 80, 60, 40, 20):
        body = {"q": "dog " * words}
        if client.post("/v1/explain", body)[0] == 200:
            return body
    sys.exit("no step is explained")


def worst_tree(client):
    for words in (60, 20, 3):
        for beam in (64, 32, 16, 8, 4, 1):
            body = {"q": "dog " * words, "beam": beam}
            if client.post("/v1/beam", body)[0] == 200:
                return body
    sys.exit("no tree is accepted")


def hogs_of(kind, client):
    if kind == "search":
        return [("/v1/translate", worst_search(client))] * 4
    if kind in ("attention", "medium"):
        worst = worst_attention(client)
        words = worst["q"].split()
        return [("/v1/translate", {**worst, "q": " ".join(words if kind == "attention" else words[:len(words) // 2])})] * 4
    document = {"q": ["Two dogs run over the green field number %d, and a man looks at them." % i for i in range(100)]}
    return [("/v1/translate", document), ("/v1/translate", worst_attention(client)), ("/v1/translate", worst_glossary(client)),
            ("tasks", [("/v1/beam", worst_tree(client)), ("/v1/explain", worst_explained(client))])]


def keep_busy(port, hog, until, counted):
    client = Client(port)
    turn, statuses = 0, collections.Counter()
    while time.time() < until:
        path, body = hog
        if path == "tasks":
            path, body = body[turn % len(body)]
            turn += 1
        try:
            status = client.post(path, body)[0]
        except (http.client.HTTPException, OSError):
            client, status = Client(port), 0
        statuses[status] += 1
        if status != 200:
            time.sleep(0.05)
    counted.put(dict(statuses))


class Short:
    """Short requests, one after the other, and what they took."""

    def __init__(self):
        self.times, self.statuses, self.wrong = [], collections.Counter(), 0

    def send(self, port, seconds, expected):
        client, end = Client(port), time.time() + seconds
        while time.time() < end:
            start = time.time()
            text = SHORT[len(self.times) % len(SHORT)]
            status, body = client.post("/v1/translate", {"q": text, "scores": True})
            self.times.append(time.time() - start)
            self.statuses[status] += 1
            if status == 200:
                translation = json.loads(body)["translations"][0]
                answer = (translation["text"], translation["score"])
                self.wrong += expected.setdefault(text, answer) != answer
            time.sleep(0.01)

    def row(self):
        return {"p50_ms": percentile(self.times, 0.5), "p99_ms": percentile(self.times, 0.99), "max_ms": percentile(self.times, 1),
                "requests": len(self.times), "statuses": dict(self.statuses), "wrong": self.wrong}


def beside(hogs, port, seconds, short, expected):
    """Sends short requests while the hogs run; gives the statuses of the hogs' answers."""
    counted, statuses = multiprocessing.Queue(), collections.Counter()
    until = time.time() + seconds + 1
    processes = [multiprocessing.Process(target=keep_busy, args=(port, hog, until, counted), daemon=True) for hog in hogs]
    for process in processes:
        process.start()
    time.sleep(1)
    short.send(port, seconds, expected)
    for _ in processes:
        statuses.update(counted.get(timeout=120))
    for process in processes:
        process.join()
    return statuses


def steps_of(client):
    figures = dict(re.findall(r"^yona_(steps_total|long_steps_total|longest_step_seconds) (\S+)$", client.get("/metrics"), re.M))
    return {"steps": int(float(figures["steps_total"])), "above_50_ms": int(float(figures["long_steps_total"])),
            "longest_ms": round(1e3 * float(figures["longest_step_seconds"]), 1)}


def measure(a, name, folder):
    server = Server(a, [a.yona, "serve", "--model", folder, "--port", 0], r":(\d+); Ctrl-C", "stderr")
    threading.Thread(target=server.process.stderr.read, daemon=True).start()
    kinds = a.kinds.split(",")
    expected, row = {}, {"model": name}
    Short().send(server.port, 1, expected)
    hogs = {kind: hogs_of(kind, Client(server.port)) for kind in kinds}
    shorts = {kind: Short() for kind in ["alone", *kinds]}
    statuses, memory = collections.defaultdict(collections.Counter), {}
    time.sleep(2)
    for _ in range(a.rounds):
        shorts["alone"].send(server.port, a.seconds / a.rounds, expected)
        for kind in kinds:
            statuses[kind].update(beside(hogs[kind], server.port, a.seconds / a.rounds, shorts[kind], expected))
            memory[kind] = max(memory.get(kind, 0), round(server.memory_mb()))
            time.sleep(2)
    for kind, short in shorts.items():
        row[kind] = short.row()
    for kind in kinds:
        for share in ("p50_ms", "p99_ms"):
            row[kind]["added_" + share] = round(row[kind][share] - row["alone"][share], 1)
        row[kind].update({"memory_mb": memory[kind], "hog_statuses": dict(statuses[kind])})
        if kind == "search":
            row[kind]["hog"] = {"beam": 64, "max_length": hogs[kind][0][1]["max_length"], "sentences": len(hogs[kind][0][1]["q"])}
    row["steps"] = steps_of(Client(server.port))
    row["memory_after_mb"] = round(server.memory_mb())
    row["exit_code"] = server.end()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, nargs="+", help="NAME=DIR")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="in which each is measured for its share of the seconds")
    parser.add_argument("--kinds", default="search,mixed,attention,medium")
    parser.add_argument("--cpus", type=int, default=0, help="of the server; the clients have the others (default: all share all)")
    parser.add_argument("--yona", default=os.path.join(ROOT, "build", "yona"))
    parser.add_argument("--output")
    a = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    a.server_cpus = cpus[:a.cpus] if a.cpus else cpus
    os.sched_setaffinity(0, set(cpus[a.cpus:]) or set(cpus))
    rows = []
    for model in a.model:
        name, folder = model.split("=", 1)
        rows.append(measure(a, name, folder))
        print(json.dumps(rows[-1]), flush=True)
    if a.output:
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
        with open(a.output, "w", encoding="utf-8") as file:
            json.dump({"command": "bench/serve/hogs.py --model " + " ".join(m.split("=")[0] + "=DIR" for m in a.model) +
                       f" --seconds {a.seconds:g} --rounds {a.rounds} --kinds {a.kinds} --cpus {a.cpus}", "commit": commit.stdout.strip(),
                       "machine": {"cpu": cpu_name(), "server_cpus": len(a.server_cpus), "load_average": os.getloadavg()[0], "system": platform.system()}, "results": rows},
                      file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
