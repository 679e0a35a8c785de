#!/usr/bin/env python3
"""Stands in for `yona` and `curl` while the commands of the docs are tested (commands_test.py): the same programs, with small runs,
servers in the background and free ports.

  yona train    at most 20 updates of at most 512 tokens instead of --for, and a warm-up that fits
  yona bench generate   one repetition of at most 8 new tokens
  yona serve    and `yona runs --serve`: returns as soon as the server answers, in the place of the one before it; its process id is
                added to $DOCS_SERVERS
  curl          :8080 and :8081 become the ports of this test; an HTTP error is a failure
"""
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

PROGRAM = os.environ["YONA_PROGRAM"]
PORTS = {"8080": os.environ["DOCS_PORT"], "8081": os.environ["DOCS_DASHBOARD_PORT"]}
MOST_UPDATES, MOST_TOKENS, MOST_NEW = 20, 512, 8


def limited(arguments, flag, most):
    """The arguments with the flag's value at most `most`."""
    arguments = list(arguments)
    if flag in arguments:
        place = arguments.index(flag) + 1
        if arguments[place].isdigit():
            arguments[place] = str(min(most, int(arguments[place])))
        return arguments
    return arguments + [flag, str(most)]


def end_server_at(port, pid_file):
    """A page's next server takes the place of the one before it."""
    if not os.path.exists(pid_file):
        return
    with open(pid_file, encoding="utf-8") as file, contextlib.suppress(ProcessLookupError):
        os.kill(int(file.read()), signal.SIGKILL)
    for _ in range(200):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", int(port))) != 0:
                return
        time.sleep(0.05)


def serve(arguments, port):
    pid_file = f"{os.environ['DOCS_SERVERS']}-{port}"
    end_server_at(port, pid_file)
    log = os.path.join(os.environ["TMPDIR"], f"server-{os.getpid()}.log")
    with open(log, "wb") as output:
        server = subprocess.Popen([PROGRAM, *arguments, "--port", port], stdin=subprocess.DEVNULL,
                                  stdout=output, stderr=output, start_new_session=True)
    with open(os.environ["DOCS_SERVERS"], "a", encoding="utf-8") as servers:
        servers.write(f"{server.pid}\n")
    with open(pid_file, "w", encoding="utf-8") as file:
        file.write(str(server.pid))
    for _ in range(600):
        with open(log, encoding="utf-8") as text:
            said = text.read()
        if f":{port}" in said:
            return 0
        if server.poll() is not None:
            break
        time.sleep(0.05)
    sys.stderr.write(said)
    return server.poll() or 1


def yona(arguments):
    command = arguments[0] if arguments else ""
    if command == "serve":
        return serve(arguments, PORTS["8080"])
    if command == "runs" and "--serve" in arguments:
        return serve(arguments, PORTS["8081"])
    if command == "train":
        if "--for" in arguments:
            place = arguments.index("--for")
            arguments = arguments[:place] + arguments[place + 2:]
        arguments = limited(limited(arguments, "--updates", MOST_UPDATES), "--batch-tokens", MOST_TOKENS)
        arguments = ["train.warmup=5" if a.startswith("train.warmup=") else a for a in arguments]
        if "--dashboard" in arguments:
            arguments += ["--dashboard-port", "0"]
    if arguments[:2] == ["bench", "generate"]:
        arguments = limited(limited(arguments, "--new", MOST_NEW), "--reps", 1)
    return subprocess.run([PROGRAM, *arguments], check=False).returncode


def with_ports(text):
    for documented, used in PORTS.items():
        text = text.replace(f":{documented}", f":{used}")
    return text


def plain_request(arguments):
    """What the docs use of curl, for machines without it: -d, -H, -s and an address."""
    data, headers, address = [], {}, ""
    values = iter(arguments)
    for value in values:
        if value in ("-d", "--data"):
            data.append(next(values))
        elif value in ("-H", "--header"):
            name, _, content = next(values).partition(":")
            headers[name] = content.strip()
        elif not value.startswith("-"):
            address = value if "://" in value else f"http://{value}"
    body = "&".join(data).encode() if data else None
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=60) as answer:
        sys.stdout.write(answer.read().decode())
    return 0


def curl(arguments):
    arguments = [with_ports(argument) for argument in arguments]
    real = os.environ.get("DOCS_CURL")
    if real:
        return subprocess.run([real, "--fail-with-body", "-sS", *arguments], check=False).returncode
    return plain_request(arguments)


if __name__ == "__main__":
    sys.exit((curl if os.path.basename(sys.argv[0]) == "curl" else yona)(sys.argv[1:]))
