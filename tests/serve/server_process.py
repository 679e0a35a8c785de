"""`yona serve` beside a test: started on a free port, ended with the test."""
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request


class ServerProcess:
    def __init__(self, *flags):
        self.log = []
        self.process = subprocess.Popen([os.environ["YONA_PROGRAM"], "serve", "--port", "0", *map(str, flags)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r" at (https?)://[^ ]*:(\d+);", line)
            if found:
                self.port = int(found.group(2))
                self.url = f"{found.group(1)}://127.0.0.1:{self.port}"
                return
        raise RuntimeError("the server did not start: " + "".join(self.log))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """SIGTERM; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.process.stderr.close()
        return code

    def post(self, path, body, timeout=60, headers=None):
        """Status and JSON of the answer."""
        request = urllib.request.Request(self.url + path, data=json.dumps(body).encode(), headers={
            "Content-Type": "application/json", **(headers or {})})
        return self.answer(request, timeout)

    def get(self, path, timeout=60):
        return self.answer(urllib.request.Request(self.url + path), timeout)

    @staticmethod
    def answer(request, timeout):
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())


def wait_until(condition, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
