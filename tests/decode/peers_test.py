"""yona's modes of beam search compared with the programs they reproduce, as they are installed here.

usage: peers_test.py [TEST_DECODE]    TEST_DECODE is the built program test_decode; without it, the
                                      one that is built beside YONA_PROGRAM (as in ctest)

Models with random weights, and one trained for a moment on the built-in task; for each, sentences
and settings as in tools/fixtures/decode_peers.py. Tokens must be the same, save where two scores lie
within 1e-4 of each other, and scores within 1e-4 of their size (3e-4 for each token for Marian, whose
exp() is an approximation). Exits with 77 (skipped) where no peer is installed.
"""

import importlib.util
import os
import sys
import tempfile
import warnings
from pathlib import Path

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tools" / "fixtures"))
import decode_peers as peers  # noqa: E402

NEEDS = {"huggingface": ("torch", "transformers"), "ctranslate2": ("ctranslate2", "transformers"),
         "marian": ("pymarian", "numpy", "safetensors")}
warnings.filterwarnings("ignore")


def is_installed(mode):
    return all(importlib.util.find_spec(name) for name in NEEDS[mode])


def near_tie(answers, n):
    """Is hypothesis n as good as its neighbour, so that their order is open?"""
    scores = [each["score"] for each in answers]
    return any(abs(scores[n] - scores[m]) < 1e-4
               for m in (n - 1, n + 1) if 0 <= m < len(scores))


def compare(job, what):
    """How many hypotheses are the same, how many a tie excuses, how many ended by themselves."""
    same = excused = ended = 0
    for request, (ours, theirs) in enumerate(zip(job["answers"], job["expected"])):
        for n, expected in enumerate(theirs):
            where = f"{what} {job['options']} request {request} hypothesis {n}"
            assert n < len(ours), f"{where}: missing; {expected}"
            tolerance = 3e-4 * len(expected["ids"]) if what == "marian" \
                else 1e-4 * max(1.0, abs(expected["score"]))
            assert abs(ours[n]["score"] - expected["score"]) < tolerance, \
                f"{where}: {ours[n]} is not {expected}"
            if ours[n]["ids"] == expected["ids"]:
                same += 1
            else:
                assert near_tie(theirs, n) or near_tie(ours, n), \
                    f"{where}: {ours[n]} is not {expected}"
                excused += 1
            ended += len(expected["ids"]) < job["options"]["max_length"]
    return same, excused, ended


def entries_for(mode, root):
    """Models of the fixture's kind with other seeds, and a trained one where the peer loads it."""
    models = [{**model, "seed": model["seed"] + 20} for model in peers.MODELS[mode]]
    if mode != "marian":
        models.append({"trained": 150})
    for n, model in enumerate(models):
        vocabulary = model.get("vocabulary", 400)
        requests = peers.requests_for(mode, vocabulary, seed=n + 5)
        name = "trained" if "trained" in model else f"{mode}-{n}"
        jobs = [{"options": options, "requests": requests} for options in peers.settings()[mode]]
        yield {"mode": mode, "model": model, "folder": str(Path(root) / name), "jobs": jobs}


def main(test_decode):
    modes = [mode for mode in NEEDS if is_installed(mode)]
    if not modes:
        print("skipped: no peer is installed")
        return 77
    with tempfile.TemporaryDirectory() as root:
        entries = [entry for mode in modes for entry in entries_for(mode, root)]
        entries = peers.run_yona(test_decode, {"models": entries})["models"]
        for entry in entries:
            peer = peers.PEERS[entry["mode"]](entry["folder"])
            counts = (0, 0, 0)
            for job in entry["jobs"]:
                job["expected"] = peers.ask(peer, entry["mode"], job["options"], job["requests"])
                counts = [a + b for a, b in zip(counts, compare(job, entry["mode"]))]
            print(f"{entry['mode']}, {entry['model']}: {counts[0]} hypotheses the same, "
                  f"{counts[1]} ties; {counts[2]} ended before the limit", flush=True)
    return 0


if __name__ == "__main__":
    default = Path(os.environ.get("YONA_PROGRAM", "build/yona")).parent / "tests" / "test_decode"
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else str(default)))
