"""Model files that change under a running server: replaced by rename, overwritten in place, cut off, deleted, damaged.
Honest answers are those of the old model or of the new one, or a clear error; the server never dies, and soon after
the last file is in place the new model answers."""
import os
import shutil
import signal
import threading
import time

from report import dice
from served import HonestClients, Server, ask

PAIRS = {"f32": ("en", "de"), "int8": ("de", "en")}  # the names under which the two folders are served
SOON = 20  # seconds until a new model must answer


def replace_by_rename(source, target, _random):
    """As a careful program does, and rsync."""
    shutil.copyfile(source, target + ".new")
    os.replace(target + ".new", target)


def overwrite(source, target, random):
    """As cp does: in place, from the front, with pauses."""
    with open(source, "rb") as file:
        content = file.read()
    with open(target, "r+b" if random.random() < 0.5 else "wb", buffering=0) as file:
        step = max(1, len(content) // random.randint(1, 20))
        for begin in range(0, len(content), step):
            file.write(content[begin:begin + step])
            time.sleep(random.random() * 0.02)
        file.truncate(len(content))


def cut_off(source, target, random):
    """Cut off at a random place, and put right a while later."""
    os.truncate(target, random.randint(0, os.path.getsize(target)))
    time.sleep(random.random() * 1.5)
    overwrite(source, target, random)


def delete(source, target, random):
    os.remove(target)
    time.sleep(random.random() * 1.5)
    shutil.copyfile(source, target)


def damage(source, target, random):
    """Flips bytes in place, and puts the file right a while later."""
    with open(target, "r+b", buffering=0) as file:
        for _ in range(random.randint(1, 50)):
            file.seek(random.randrange(os.path.getsize(target)))
            file.write(bytes([random.randrange(256)]))
    time.sleep(random.random() * 1.5)
    overwrite(source, target, random)


WAYS = [replace_by_rename, overwrite, cut_off, delete, damage]


class Files:
    name = "files"

    def __init__(self, program, texts, models, report):
        self.program, self.texts, self.models, self.report = program, texts, models, report
        self.turns, self.server = 0, None
        self.folders, self.current = {}, {}

    def begin(self):
        """A server over copies of the first model."""
        flags = []
        for kind, (source, target) in PAIRS.items():
            self.folders[kind], self.current[kind] = self.program.place("served", kind), "a"
            shutil.rmtree(self.folders[kind], ignore_errors=True)
            shutil.copytree(self.models.folders["a", kind], self.folders[kind])
            flags += [f"{source}-{target}={self.folders[kind]}"]
        self.server = Server(self.program, "--model", *flags, "--longest-wait", 30)

    def turn(self):
        random = dice(self.report.seed, self.name, self.turns)
        self.turns += 1
        if self.server is None or not self.server.is_running():
            self.begin()
        clients = HonestClients(self.server, self.report, self.texts.sentences, PAIRS, self.models.allowed)
        clients.start(4, random)
        time.sleep(0.5)
        workers = [threading.Thread(target=self.change, args=(kind, dice(self.report.seed, self.turns, kind)))
                   for kind in PAIRS]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for kind in PAIRS:
            if self.server.is_running():
                self.wait_for_new(kind)
        clients.end()
        self.report.check(clients.answered > 0, "honest clients are served while files change", "none was")
        self.report.check(self.server.is_running(), "the server survives files that change",
                          f"exit code {self.server.process.returncode}: {self.server.last_words()}")

    def change(self, kind, random):
        """Puts the other model in the place of the one that is served, file by file."""
        new = "b" if self.current[kind] == "a" else "a"
        way = random.choice(WAYS)
        source, target = self.models.folders[new, kind], self.folders[kind]
        names = sorted(name for name in os.listdir(source) if os.path.isfile(os.path.join(source, name)))
        random.shuffle(names)
        for name in names:
            is_weights = name.endswith(".safetensors")  # what checksums protect
            if is_weights or (way is not damage and random.random() < 0.3):
                way(os.path.join(source, name), os.path.join(target, name), random)
                self.report.fault(f"files: {way.__name__.replace('_', ' ')}")
            else:
                replace_by_rename(os.path.join(source, name), os.path.join(target, name), random)
        self.current[kind] = new
        if random.random() < 0.3 and self.server.is_running():
            self.server.process.send_signal(signal.SIGHUP)

    def wait_for_new(self, kind):
        """The new model answers, soon, and from then on."""
        source, target = PAIRS[kind]
        answers = self.models.answers[self.current[kind], kind]
        other = self.models.answers["b" if self.current[kind] == "a" else "a", kind]
        telling = [sentence for sentence in self.texts.sentences if answers[sentence] != other[sentence]]
        end = time.monotonic() + SOON
        seen = None
        while time.monotonic() < end and self.server.is_running():
            try:
                seen = ask(self.server.port, "/translate", {"q": telling, "source": source, "target": target})
            except (OSError, ValueError) as error:
                seen = (0, str(error))
            if seen[0] == 200 and seen[1]["translatedText"] == [answers[sentence] for sentence in telling]:
                self.report.check(True, "a new model answers soon")
                return
            time.sleep(0.2)
        self.report.check(not self.server.is_running(), "a new model answers soon",
                          f"{kind}: after {SOON} s {str(seen)[:300]}")

    def end(self):
        if self.server is not None and self.server.is_running():
            self.report.check(self.server.end() == 0, "the server ends well", self.server.last_words())
