"""Training runs that are killed at random moments and resumed with other numbers of threads. What they leave must
be, byte for byte, what a run leaves that was never disturbed."""
import os
import shutil
import signal
import subprocess

from program import SMALL
from report import dice

RUN = [*SMALL, "--batch-tokens", "256", "--progress", "quiet", "--set", "model.d_model=32", "--set", "model.d_ff=64",
       "--set", "train.save_every=7", "--set", "train.valid_every=25", "--set", "data.vocabulary_size=450"]
# Each is a way through the program of its own: what is saved and restored differs.
VARIANTS = {
    "plain": ["--updates", "100"],
    "accumulate": ["--updates", "60", "--set", "train.accumulate=3", "--set", "train.ema=0.9"],
    "sampling": ["--updates", "100", "--set", "data.sampling=0.1", "--set", "model.dropout=0.3"],
    "bleu": ["--updates", "75", "--valid-metrics", "bleu", "--set", "train.best_by=bleu"],
    "bf16": ["--updates", "80", "--precision", "bf16", "--set", "train.seed=7"],
}
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
MOST_KILLS = 6  # of one run; then it may end


def files_of(run):
    """The bytes that count: weights, moments, position, sub-words."""
    found = {}
    for folder, _, names in os.walk(run):
        for name in names:
            path = os.path.join(folder, name)
            short = os.path.relpath(path, run)
            if name.endswith((".safetensors", ".spm")) or name in ("state.json", "vocab.json", "config.json"):
                with open(path, "rb") as file:
                    found[short] = file.read()
    return found


def difference(expected, found):
    names = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    return ", ".join(f"{name} {'differs' if name in expected and name in found else 'is missing or too much'}"
                     for name in names[:5])


def has_checkpoint(run):
    folder = os.path.join(run, "checkpoints")
    return os.path.isdir(folder) and any(name.startswith("step-") for name in os.listdir(folder))


class Kills:
    name = "train"

    def __init__(self, program, texts, report):
        self.program, self.texts, self.report = program, texts, report
        self.run = program.place("killed", "run")
        os.makedirs(os.path.dirname(self.run), exist_ok=True)
        self.expected, self.duration = {}, {}
        self.turns = 0

    def words(self, variant, threads):
        """The command that begins a run, or goes on with it."""
        begin = [*RUN, *VARIANTS[variant], *self.texts.flags()]
        return ["train", "-o", self.run, "--threads", threads,
                *(["--resume", "--progress", "quiet"] if has_checkpoint(self.run) else begin)]

    def reference(self, variant):
        """What an undisturbed run leaves, in the same place: paths are part of the settings."""
        if variant not in self.expected:
            shutil.rmtree(self.run, ignore_errors=True)
            before = self.report.passed()
            self.program.must(*self.words(variant, 2))
            self.duration[variant] = self.report.passed() - before
            self.expected[variant] = files_of(self.run)
        return self.expected[variant]

    def turn(self):
        random = dice(self.report.seed, self.name, self.turns)
        self.turns += 1
        variant = random.choice(sorted(VARIANTS))
        expected = self.reference(variant)
        shutil.rmtree(self.run, ignore_errors=True)
        kills = 0
        while True:
            if not has_checkpoint(self.run):  # killed before the first one: begun again
                shutil.rmtree(self.run, ignore_errors=True)
            may_end = kills >= MOST_KILLS
            wait = None if may_end else random.random() * self.duration[variant] * 0.6
            code, said, killed = self.attempt(self.words(variant, random.randint(1, 4)), wait,
                                              random.choice(SIGNALS))
            if killed is not None:
                kills += 1
                allowed = {-killed, 0} if killed == signal.SIGKILL else {-killed, 0, 130}  # 0: it had just ended
                if not self.report.check(code in allowed, f"{killed.name} ends a run",
                                         f"{variant}: exit code {code}: {said}"):
                    return
            elif not self.report.check(code == 0, "a resumed run ends well",
                                       f"{variant}, after {kills} kills: exit code {code}: {said}"):
                return
            if code == 0:
                break
        found = files_of(self.run)
        self.report.check(found == expected, "a resumed run leaves the bytes of an undisturbed one",
                          f"{variant}, after {kills} kills: {difference(expected, found)}")

    def attempt(self, words, wait, number):
        """Exit code, what was said, and the signal if it was sent in time."""
        process = self.program.start(*words)
        killed = None
        try:
            said = process.communicate(timeout=wait if wait is not None else 300)[1]
        except subprocess.TimeoutExpired:
            if wait is None:
                number = signal.SIGKILL
            else:
                killed = number
                self.report.fault(f"train: {number.name}")
            process.send_signal(number)
            try:
                said = process.communicate(timeout=60)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return None, f"still running 60 s after {number.name}", killed
        return process.returncode, said.decode(errors="replace").strip(), killed

    def end(self):
        shutil.rmtree(self.run, ignore_errors=True)
