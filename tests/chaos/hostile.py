"""Hostile clients next to honest ones: whatever is sent, honest answers are those of offline translation, memory stays
within a bound, and the server ends when it is asked to."""
import threading
import time

from attacks import ATTACKS
from report import dice
from served import HonestClients, MemoryWatch, Server

PAIRS = {"f32": ("en", "de"), "int8": ("de", "en")}
SECONDS = 6  # of one turn's attacks


class Hostile:
    name = "serve"

    def __init__(self, program, texts, models, report, most_memory):
        self.program, self.texts, self.models, self.report = program, texts, models, report
        self.most_memory = most_memory
        self.turns, self.server = 0, None

    def begin(self):
        flags = [f"{source}-{target}={self.models.folders['b', kind]}" for kind, (source, target) in PAIRS.items()]
        self.server = Server(self.program, "--model", *flags, "--longest-wait", 30)

    def allowed(self, kind, sentence):
        return {self.models.answers["b", kind][sentence]}

    def turn(self):
        random = dice(self.report.seed, self.name, self.turns)
        self.turns += 1
        if self.server is None or not self.server.is_running():
            self.begin()
        clients = HonestClients(self.server, self.report, self.texts.sentences, PAIRS, self.allowed)
        memory = MemoryWatch(self.server)
        clients.start(3, random)
        chosen = random.sample(ATTACKS, 4)
        attackers = [threading.Thread(target=self.attack, args=(attack, number), daemon=True)
                     for attack in chosen for number in range(2)]
        for attacker in attackers:
            attacker.start()
        for attacker in attackers:
            attacker.join(60)
        clients.end()
        most = memory.end()
        what = ", ".join(attack.__name__ for attack in chosen)
        self.report.figure("memory of the server, MB", most / 1e6)
        self.report.check(most < self.most_memory, "the server's memory is bounded", f"{most / 1e6:.0f} MB with {what}")
        self.report.check(clients.answered > 0, "honest clients are served next to hostile ones",
                          f"none of {clients.refused} with {what}")
        self.report.figure("honest answers of a turn, percent",
                           100 * clients.answered / max(1, clients.answered + clients.refused))
        self.report.check(self.server.is_running(), "the server survives hostile clients",
                          f"exit code {self.server.process.returncode} with {what}: {self.server.last_words()}")

    def attack(self, attack, number):
        random = dice(self.report.seed, self.name, self.turns, attack.__name__, number)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self.server.is_running():
            self.report.fault(f"serve: {attack.__name__.replace('_', ' ')}")
            try:
                wrong = attack(self.server.port, random, end)
                if wrong:
                    self.report.fail(wrong)
            except OSError:  # refused, reset, timed out: what it deserves
                pass
            time.sleep(0.05 + random.random() * 0.1)

    def end(self):
        if self.server is not None and self.server.is_running():
            self.report.check(self.server.end() == 0, "the server ends well", self.server.last_words())
