"""A moment of tests/chaos/run.py: every part has a turn, with nothing lost and no answer wrong. The real run is longer
(ten minutes, an hour with --hour) and is started by hand."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

run = subprocess.run([sys.executable, os.path.join(HERE, "run.py"), "--yona", os.environ["YONA_PROGRAM"],
                      "--minutes", "0.5", "--seed", "1"], capture_output=True, text=True, check=False)
print(run.stdout, run.stderr, sep="\n")
last = run.stdout.strip().split("\n")[-1]
assert re.fullmatch(r"chaos: [1-9]\d* faults injected, 0 failures, seed 1, \d+ s", last), last
assert run.returncode == 0
