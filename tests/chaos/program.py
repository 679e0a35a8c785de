"""The program under test, and the texts and models that a chaos run makes for itself."""
import os
import shutil
import subprocess
import time

from report import stop_with

SMALL = ["--preset", "tiny", "--src-lang", "en", "--tgt-lang", "de", "--set", "model.layers=1"]


class Program:
    def __init__(self, path, work):
        self.path, self.work = os.path.abspath(path), work

    def start(self, *words, **options):
        return subprocess.Popen([self.path, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def run(self, *words, seconds=600, **options):
        """Exit code and what was said on standard error."""
        process = self.start(*words, **options)
        try:
            said = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, f"still running after {seconds} s"
        return process.returncode, said.decode(errors="replace").strip()

    def must(self, *words):
        code, said = self.run(*words)
        if code != 0:
            stop_with(f"yona {' '.join(map(str, words))} ended with {code}: {said}")

    def place(self, *names):
        return os.path.join(self.work, *names)

    def translate(self, model, lines):
        """Offline, one translation for each line."""
        source, target = self.place("offline.src"), self.place("offline.tgt")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        self.must("-q", "translate", "-m", model, "-i", source, "-o", target)
        with open(target, encoding="utf-8", errors="replace", newline="\n") as file:
            return file.read().split("\n")[:len(lines)]


class Texts:
    """The built-in data, as `yona demo` writes it: it is ended as soon as it begins to train."""

    def __init__(self, program):
        folder = program.place("demo")
        demo = program.start("-q", "demo", "--output", folder)
        end = time.monotonic() + 300
        while not os.path.isdir(os.path.join(folder, "model")):
            if demo.poll() is not None or time.monotonic() > end:
                stop_with("`yona demo` wrote no texts")
            time.sleep(0.02)
        demo.kill()
        demo.communicate()
        shutil.rmtree(os.path.join(folder, "model"))
        self.files = {}
        for name, lines in (("train", 2000), ("valid", 50), ("test", 60)):
            for language in ("en", "de"):
                self.files[name, language] = os.path.join(folder, f"{name}.{language}")
                path = program.place(f"{name}.{language}")
                with open(self.files[name, language], encoding="utf-8") as file:
                    some = file.readlines()[:lines]
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(some)
                self.files["small " + name, language] = path
        with open(self.files["small test", "en"], encoding="utf-8") as file:
            self.sentences = file.read().split("\n")[:-1]

    def flags(self, train="small train"):
        return ["--train-src", self.files[train, "en"], "--train-tgt", self.files[train, "de"],
                "--valid-src", self.files["small valid", "en"], "--valid-tgt", self.files["small valid", "de"]]


class Models:
    """Two models of the same sub-words, a and b, each in f32 and in int8, and what they say offline."""

    def __init__(self, program, texts, updates=400):
        run = program.place("models")
        program.must("train", "-o", run, *SMALL, *texts.flags("train"), "--updates", updates, "--batch-tokens", 1024,
                     "--progress", "quiet", "--set", "model.d_model=64", "--set", "model.d_ff=128",
                     "--set", f"train.save_every={updates // 2}", "--set", f"train.valid_every={updates}",
                     "--set", "data.vocabulary_size=500", "--set", "train.warmup=150", "--set", "train.learning_rate=2")
        self.folders, self.answers = {}, {}
        for name, step in (("a", updates // 2), ("b", updates)):
            plain, small = program.place(name + "-f32"), program.place(name + "-int8")
            program.must("average", "--run", run, "-o", plain, "--checkpoints",
                         os.path.join(run, "checkpoints", f"step-{step}"))
            program.must("convert", "--quantize", "int8", "-m", plain, "-o", small)
            for kind, folder in (("f32", plain), ("int8", small)):
                self.folders[name, kind] = folder
                self.answers[name, kind] = dict(zip(texts.sentences, program.translate(folder, texts.sentences)))
        for kind in ("f32", "int8"):
            if self.answers["a", kind] == self.answers["b", kind]:
                stop_with("the two models say the same: nothing could be told apart")

    def allowed(self, kind, sentence):
        return {self.answers[name, kind][sentence] for name in ("a", "b")}
