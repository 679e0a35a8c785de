"""What hostile clients send. Each attack is given a port, random numbers and the time at which it must end; what the
server does to it does not matter, unless it says what it found wrong: a text that is returned is a failure."""
import gzip
import json
import socket
import struct
import time

WORDS = "three hundred and forty-five thousand two hundred and one"


def connect(port, seconds=5.0):
    client = socket.create_connection(("127.0.0.1", port), timeout=seconds)
    client.settimeout(seconds)
    return client


def head(length, path="/translate", more="", kind="application/json"):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{more}"
            f"Content-Length: {length}\r\n\r\n").encode()


def chunked(path="/translate", more=""):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}"
            "Transfer-Encoding: chunked\r\n\r\n").encode()


def read_answer(client, most=1 << 20):
    """All that comes until the connection is closed or silent."""
    got = b""
    try:
        while len(got) < most:
            part = client.recv(65536)
            if not part:
                break
            got += part
    except OSError:
        pass
    return got


def send_until(client, piece, end, most=256 << 20):
    """The same bytes again and again, until the server has enough."""
    sent = 0
    while time.monotonic() < end and sent < most:
        client.sendall(piece)
        sent += len(piece)


def slow_header(port, random, end):
    """Slowloris: a byte of a header now and then, on many connections."""
    clients = [connect(port) for _ in range(30)]
    for client in clients:
        client.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    while time.monotonic() < end:
        for client in clients:
            client.sendall(b"a")
        time.sleep(0.2 + random.random() * 0.2)


def slow_body(port, _random, end):
    client = connect(port)
    client.sendall(head(1000))
    while time.monotonic() < end:
        client.sendall(b" ")
        time.sleep(0.1)


def endless_trailers(port, random, end):
    client = connect(port)
    client.sendall(chunked() + b"2\r\n{}\r\n0\r\n")
    send_until(client, b"X-%d: %s\r\n" % (random.randrange(100), b"a" * random.randint(10, 5000)) * 10, end)


def endless_extension(port, random, end):
    client = connect(port)
    client.sendall(chunked() + b"5;")
    send_until(client, b"a" * random.randint(1000, 60000), end)


def endless_header(port, random, end):
    client = connect(port)
    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    send_until(client, b"X-%d: %s\r\n" % (random.randrange(100), b"a" * random.randint(10, 5000)) * 10, end)


def endless_body(port, random, end):
    client = connect(port)
    client.sendall(chunked())
    send_until(client, b"%x\r\n%s\r\n" % (4096, b"a" * 4096) * random.randint(1, 8), end)


def many_small_chunks(port, _random, end):
    client = connect(port)
    client.sendall(chunked())
    send_until(client, b"1\r\na\r\n" * 1000, end)


def garbage(port, random, _end):
    client = connect(port)
    client.sendall(random.randbytes(random.randint(1, 20000)))
    client.shutdown(socket.SHUT_WR)
    read_answer(client)


# Framing that RFC 9112 has a server refuse, or answer once and close.
SMUGGLED = [
    "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n",
    "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\x0bchunked\r\nContent-Length: 4\r\n",
    "Content-Length: 4\r\nContent-Length: 50\r\n", "Content-Length: +4\r\n", "Content-Length: 0x4\r\n",
    "Content-Length: -1\r\n", "Transfer-Encoding: identity\r\nContent-Length: 4\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"]


def smuggling(port, random, _end):
    """A second request hidden in the first one's body: it must not be answered."""
    framing = random.choice(SMUGGLED)
    client = connect(port, 3.0)
    client.sendall(f"POST /translate HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n0\r\n\r\n"
                   "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n".encode("latin-1"))
    answer = read_answer(client)
    if answer.count(b"HTTP/1.1 ") > 1:
        return f"{framing!r}: a hidden request was answered: {answer[:300]!r}"
    return None


def odd_json(port, random, _end):
    """Large, deep, broken."""
    body = random.choice([
        b"[" * 500_000, b'{"q":' * 100_000, b'{"q":"' + b"a" * 1_000_000, b'{"q":[' + b'"",' * 300_000 + b'""]}',
        b'{"q":"\\ud800","source":"en","target":"de"}', b'{"q":1e999999}', b'{"q":"' + bytes(range(256)) + b'"}',
        json.dumps({f"k{i}": i for i in range(60_000)}).encode()])[:1 << 20]
    client = connect(port)
    client.sendall(head(len(body)) + body)
    read_answer(client)


def hog(port, random, _end):
    """The dearest request that is accepted; now and then the client does not wait for the answer."""
    body = json.dumps(random.choice([
        {"q": [WORDS] * 100, "beam": 64, "max_length": 4096}, {"q": " ".join([WORDS] * 400), "beam": 64},
        {"q": "dog " * 24000, "attention": True}, {"q": [WORDS] * 500, "n_best": 8, "beam": 8, "alignments": True},
        {"q": [WORDS] * 20, "glossary": [{"source": "three", "target": "x" * 20}, {"keep": "hundred"}] * 50},
        {"q": [WORDS] * 50, "beam": 32, "stream": True}]) | {"source": "en", "target": "de"}).encode()
    client = connect(port, random.choice([0.5, 3.0, 20.0]))
    client.sendall(head(len(body), "/v1/translate") + body)
    read_answer(client, 1 << 30)


def disconnect(port, random, _end):
    """Asks and goes away, with a reset."""
    body = json.dumps({"q": [WORDS] * random.randint(1, 50), "source": "en", "target": "de"}).encode()
    for _ in range(10):
        client = connect(port)
        client.sendall((head(len(body)) + body)[:random.randint(1, 400 + len(body))])
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()


def idle(port, _random, end):
    clients = [connect(port) for _ in range(100)]
    time.sleep(max(0.0, min(2.0, end - time.monotonic())))
    for client in clients:
        client.close()


def slow_reader(port, _random, end):
    body = json.dumps({"q": [WORDS] * 200, "source": "en", "target": "de"}).encode()
    client = connect(port)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    client.sendall(head(len(body)) + body)
    while time.monotonic() < end and client.recv(10):
        time.sleep(0.05)


def pipelined(port, random, _end):
    client = connect(port)
    client.sendall(b"GET /languages HTTP/1.1\r\nHost: localhost\r\n\r\n" * random.randint(50, 500))
    read_answer(client)


def gzip_bomb(port, _random, _end):
    body = gzip.compress(b" " * (200 << 20), 9)
    client = connect(port)
    client.sendall(head(len(body), more="Content-Encoding: gzip\r\n") + body)
    read_answer(client)


def odd_parts(port, random, _end):
    """multipart/form-data with too many parts, or none that ends."""
    part = b'--b\r\nContent-Disposition: form-data; name="q"\r\n\r\nx\r\n'
    body = random.choice([part * 15_000, part[:40] + b"a" * 500_000, b"--b" * 100_000, part + b"--b--"])
    client = connect(port)
    client.sendall(head(len(body), kind="multipart/form-data; boundary=b") + body)
    read_answer(client)


ATTACKS = [slow_header, slow_body, endless_trailers, endless_extension, endless_header, endless_body,
           many_small_chunks, garbage, smuggling, odd_json, hog, disconnect, idle, slow_reader, pipelined, gzip_bomb,
           odd_parts]
