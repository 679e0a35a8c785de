"""Disks that fill. Training, converting, averaging and translating write to a file system that is too small (a tmpfs
where it may be mounted, else a limit on the size of files): each says so and ends with exit code 1, what was good
before is still good, and with room the work ends as it would have."""
import filecmp
import os
import resource
import shutil
import subprocess

from kills import RUN, VARIANTS, difference, files_of, has_checkpoint
from report import dice

ROOM = 64 << 20


class SmallDisk:
    """A folder that holds so many bytes."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)
        self.is_mounted = self.mount(ROOM)
        self.limit = None

    def mount(self, size, *options):
        return subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", "mode=700", *options]), "tmpfs",
                               self.path], capture_output=True, check=False).returncode == 0

    def clear(self):
        for name in os.listdir(self.path):
            path = os.path.join(self.path, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

    def resize(self, size):
        """Takes effect at once; None: room enough."""
        self.limit = size
        if self.is_mounted:
            self.mount(size or ROOM, "remount")

    def options(self):
        """For starting a process that shall meet the limit."""
        if self.is_mounted or self.limit is None:
            return {}
        limit = self.limit

        def fewer_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        # Python ignores SIGXFSZ, and so must the child: the program is to see EFBIG.
        return {"preexec_fn": fewer_bytes, "restore_signals": False}

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", self.path], capture_output=True, check=False)
        shutil.rmtree(self.path, ignore_errors=True)


class Disks:
    name = "disk"

    def __init__(self, program, texts, models, report):
        self.program, self.texts, self.models, self.report = program, texts, models, report
        self.disk = SmallDisk(program.place("disk"))
        if not self.disk.is_mounted:
            print("disk: a tmpfs cannot be mounted here; files are limited in size instead", flush=True)
        self.turns, self.expected = 0, {}

    def turn(self):
        random = dice(self.report.seed, self.name, self.turns)
        self.turns += 1
        self.disk.resize(None)
        self.disk.clear()
        random.choice([self.train, self.convert, self.average, self.translate])(random)

    def where(self, name):
        return os.path.join(self.disk.path, name)

    def check_refusal(self, what, code, said):
        """One clear line and exit code 1."""
        self.report.check(code == 1, f"{what} on a full disk ends with 1", f"exit code {code}: {said}")
        last = said.split("\n")[-1]
        self.report.check(last.startswith("yona: ") and ("No space left" in last or "File too large" in last),
                          f"{what} on a full disk says so", said)

    def train(self, random):
        variant = random.choice(["plain", "accumulate"])
        run, words = self.where("run"), [*RUN, *VARIANTS[variant], *self.texts.flags()]
        if variant not in self.expected:
            self.program.must("train", "-o", run, *words)
            self.expected[variant] = files_of(run)
            self.disk.clear()
        for _ in range(3):  # each time a little more room, and then enough
            self.disk.resize(self.used() + random.choice([4, 40, 300, 900, 2000]) * 1024)
            resume = ["--resume", "--progress", "quiet"] if has_checkpoint(run) else words
            code, said = self.program.run("train", "-o", run, *resume, **self.disk.options())
            if code == 0:
                break
            self.report.fault("disk: train")
            self.check_refusal("train", code, said)
            self.disk.resize(None)
            if has_checkpoint(run):
                self.check_checkpoints(run)
            else:
                self.disk.clear()
        self.disk.resize(None)
        if code != 0:
            resume = ["--resume", "--progress", "quiet"] if has_checkpoint(run) else words
            code, said = self.program.run("train", "-o", run, *resume)
            self.report.check(code == 0, "a run goes on when there is room", f"exit code {code}: {said}")
        found = files_of(run)
        self.report.check(found == self.expected[variant], "a run that met a full disk leaves the same bytes",
                          difference(self.expected[variant], found))

    def used(self):
        """Bytes on the disk; of a limit on files, none."""
        if not self.disk.is_mounted:
            return 0
        status = os.statvfs(self.disk.path)
        return (status.f_blocks - status.f_bfree) * status.f_frsize

    def check_checkpoints(self, run):
        """Those that are there are whole."""
        for name in os.listdir(os.path.join(run, "checkpoints")):
            if name.startswith("step-"):
                code, said = self.program.run("average", "--run", run, "-o", self.program.place("whole"),
                                              "--checkpoints", os.path.join(run, "checkpoints", name))
                shutil.rmtree(self.program.place("whole"), ignore_errors=True)
                self.report.check(code == 0, "a checkpoint on a full disk is whole", f"{name}: {said}")

    def convert(self, random):
        self.written("convert", random, ["convert", "--quantize", "int8", "-m", self.models.folders["a", "f32"]])

    def average(self, random):
        self.written("average", random, ["average", "--run", self.program.place("models"), "--last", 2])

    def written(self, what, random, words):
        """A command that writes a model folder: whole, or not at all."""
        output, good = self.where("model"), self.program.place("good-" + what)
        if not os.path.isdir(good):
            self.program.must(*words, "-o", good)
        sizes = [os.path.getsize(os.path.join(good, name)) for name in os.listdir(good)]
        whole = sum(sizes) if self.disk.is_mounted else max(sizes)
        self.disk.resize(max(4096, int(whole * random.random() * 0.9)))
        code, said = self.program.run(*words, "-o", output, **self.disk.options())
        self.report.fault(f"disk: {what}")
        self.check_refusal(what, code, said)
        self.report.check(not os.path.isdir(output) or not is_model(output), f"{what} leaves no half a model",
                          f"{output} holds {os.listdir(output) if os.path.isdir(output) else ''}")
        self.report.check(sorted(os.listdir(self.disk.path)) in ([], ["model"]), f"{what} tidies up",
                          f"{os.listdir(self.disk.path)} are left")
        self.disk.resize(None)
        code, said = self.program.run(*words, "-o", output)
        self.report.check(code == 0, f"{what} works when there is room", f"exit code {code}: {said}")
        different = [name for name in os.listdir(good) if not os.path.exists(os.path.join(output, name)) or
                     not filecmp.cmp(os.path.join(good, name), os.path.join(output, name), shallow=False)]
        self.report.check(not different, f"{what} writes the same bytes after a full disk", f"{different} differ")

    def translate(self, random):
        source, output = self.program.place("many.src"), self.where("out")
        answers = self.models.answers["a", "f32"]
        lines = [random.choice(self.texts.sentences) for _ in range(2000)]
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        whole = "".join(answers[line] + "\n" for line in lines).encode()
        self.disk.resize(4096 * random.randint(1, max(1, len(whole) // 2 // 4096)))
        words = ["translate", "-m", self.models.folders["a", "f32"], "-i", source, "-o", output]
        code, said = self.program.run(*words, **self.disk.options())
        self.report.fault("disk: translate")
        self.check_refusal("translate", code, said)
        with open(output, "rb") as file:
            written = file.read()
        self.report.check(whole.startswith(written), "what translate wrote on a full disk is right", "it is not")
        self.disk.resize(None)
        code, said = self.program.run(*words)
        with open(output, "rb") as file:
            self.report.check(code == 0 and file.read() == whole, "translate works when there is room",
                              f"exit code {code}: {said}")

    def end(self):
        self.disk.end()


def is_model(folder):
    return any(name.endswith(".safetensors") for name in os.listdir(folder)) and "config.json" in os.listdir(folder)
