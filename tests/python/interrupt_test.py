"""Ctrl-C: a call ends within a second, and what it worked on can be used again."""

import os
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

from python_case import ModelCase, train_small, yona

PATIENCE = 1.0


class Interrupting(ModelCase):
    def interrupt(self, work, after=0.3):
        """Sends SIGINT while the work is under way; gives the seconds until it was over."""
        sent = []

        def send():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(after, send)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            work()
        timer.join()
        return time.monotonic() - sent[0]

    def test_translating_and_the_model_is_as_before(self):
        expected = self.model.translate("half past three")
        lines = ["the first of May and half past three " * 3] * 20000
        self.assertLess(self.interrupt(lambda: self.model.translate(lines, beam=16)), PATIENCE)
        self.assertLess(self.interrupt(lambda: self.model.score(lines, lines)), PATIENCE)
        again = self.model.translate("half past three")
        self.assertEqual((again.text, again.score), (expected.text, expected.score))

    def test_waiting_for_another_thread(self):
        lines = ["the first of May and half past three " * 3] * 1500
        thread = threading.Thread(target=lambda: self.model.translate(lines, beam=16))
        thread.start()
        time.sleep(0.1)
        self.assertLess(self.interrupt(lambda: self.model.translate("seven"), after=0.2), PATIENCE)
        thread.join()
        self.assertEqual(self.model.translate("seven").text, "sieben")

    def test_training_saves_and_can_go_on(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertLess(self.interrupt(lambda: train_small(folder, updates=100000), after=1.5),
                            PATIENCE)
            latest = Path(folder) / "run" / "checkpoints" / "latest"
            done = int(os.readlink(latest).split("-")[-1])
            model = yona.train(output=Path(folder) / "run", resume=True, updates=done + 5,
                               progress=False)
            self.assertEqual(model.run.updates, done + 5)

    def test_other_signals_are_pythons_to_handle(self):
        class Alarm(Exception):
            pass

        def ring(number, frame):
            raise Alarm

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        lines = ["the first of May and half past three " * 3] * 20000
        with self.assertRaises(Alarm):
            self.model.translate(lines, beam=16)
        signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    unittest.main()
