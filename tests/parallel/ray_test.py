"""examples/ray_translate.py on this machine: two workers give the lines of `yona translate`.

usage: ray_test.py    YONA_PROGRAM names the program, YONA_SOURCE_DIR the repository (as in ctest); YONA_PEERS a python with ray

Skipped where ray or the Python module is not here.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

YONA = Path(os.environ.get("YONA_PROGRAM", "build/yona")).resolve()
SOURCES = Path(os.environ.get("YONA_SOURCE_DIR", ".")).resolve()
PYTHON = os.environ.get("YONA_PEERS", sys.executable)
SKIPPED = 77


def main():
    environment = os.environ | {"PYTHONPATH": str(YONA.parent / "python")}
    found = subprocess.run([PYTHON, "-c", "import ray, yona"], env=environment, capture_output=True, text=True)
    if found.returncode != 0:
        print("skipped:", found.stderr.strip().splitlines()[-1])
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw = random.Random(3)
        lines = [" ".join(draw.choices(["ba", "do", "ki", "lume"], k=draw.randint(1, 6))) + "\n" for _ in range(60)]
        (folder / "text").write_text("".join(lines))
        sets = [w for s in ("preset=tiny", "model.layers=1", "model.d_model=32", "model.heads=2", "model.d_ff=32") for w in ("--set", s)]
        subprocess.run([YONA, "train", "--train-src", folder / "text", "--train-tgt", folder / "text", "--vocab-size", "340", *sets,
                        "--updates", "3", "--batch-tokens", "256", "--progress", "quiet", "--output", folder / "run"], check=True)
        subprocess.run([YONA, "translate", "--model", folder / "run", "--input", folder / "text", "--output", folder / "alone",
                        "--chunk-lines", "20"], check=True)
        subprocess.run([PYTHON, SOURCES / "examples" / "ray_translate.py", folder / "run", folder / "text", folder / "shared", "--lines", "20"],
                       check=True, env=environment, timeout=200)
        if (folder / "shared").read_bytes() != (folder / "alone").read_bytes():
            sys.exit("Ray's workers give other lines than yona translate")


if __name__ == "__main__":
    main()
