"""A service like LibreTranslate's on CTranslate2: POST /translate, a thread for each connection, each
request translated when it comes, as LibreTranslate does it.

  ct2_server.py MODEL_FOLDER CT2_FOLDER [--port 0] [--workers 1] [--threads 2] [--beam 4]

MODEL_FOLDER has source.spm and target.spm; CT2_FOLDER is its conversion. Prints the port.
"""
import argparse
import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import ctranslate2
import sentencepiece

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("ct2")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--threads", type=int, default=2, help="of a worker")
parser.add_argument("--beam", type=int, default=4)
parser.add_argument("--compute-type", default="float32")
a = parser.parse_args()
translator = ctranslate2.Translator(a.ct2, device="cpu", inter_threads=a.workers, intra_threads=a.threads,
                                    compute_type=a.compute_type)
source = sentencepiece.SentencePieceProcessor(f"{a.model}/source.spm")
target = sentencepiece.SentencePieceProcessor(f"{a.model}/target.spm")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

    def do_POST(self):  # noqa: N802
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tokens = source.encode(request["q"], out_type=str) + ["</s>"]
        best = translator.translate_batch([tokens], beam_size=a.beam)[0].hypotheses[0]
        body = json.dumps({"translatedText": target.decode(best)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


server = Server(("127.0.0.1", a.port), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
