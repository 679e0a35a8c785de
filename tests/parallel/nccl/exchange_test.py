"""One rank over NCCL has the bytes of a run without ranks: everything but the wire, on one GPU. As many ranks as GPUs, where there are several.

usage: exchange_test.py    YONA_PROGRAM names the program (as in ctest)

Skipped without a GPU, mpirun, libyona_mpi.so or libyona_nccl.so. Without a GPU or NCCL, more ranks than GPUs are still refused.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
path = Path(__file__).resolve().parents[1] / "mpi" / "communicator_test.py"
spec = importlib.util.spec_from_file_location("communicator_test", path)
mpi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mpi)


def missing():
    libraries = [name for name in ("libyona_mpi.so", "libyona_nccl.so") if not (mpi.YONA.parent / name).exists()]
    return ([] if Path("/dev/nvidia0").exists() else ["a GPU"]) + ([] if shutil.which("mpirun") else ["mpirun"]) + libraries


def train(folder, name, ranks, environment, *words):
    output = folder / name
    mpi.ENVIRONMENT = os.environ | environment
    said = mpi.run(mpi.flags(folder, output, "--device", "cuda", "--updates", "6", *words), ranks)
    return mpi.state_of(output), said


def same_bytes(folder):
    for precision, exchange in (("f32", "f32"), ("bf16", "f32"), ("bf16", "bf16")):
        case = f"{precision}, exchange in {exchange}"
        words = mpi.settings("train.accumulate=2", "train.measure=false", f"train.exchange={exchange}") + ["--precision", precision]
        alone, _ = train(folder, f"alone-{precision}-{exchange}", 0, {}, *words)
        for title, environment in (("nccl", {"YONA_ONE_RANK": "1"}), ("host", {"YONA_ONE_RANK": "1", "YONA_NCCL": "off"})):
            one, _ = train(folder, f"{title}-{precision}-{exchange}", 1, environment, *words)
            mpi.check(one == alone, f"{case}: one rank over {title} has other bytes than a run without ranks")
            print(f"{case}: one rank over {title} has the bytes of a run without ranks")


def several(folder):
    """Through NCCL and through the host: the same bytes."""
    gpus = len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.splitlines())
    if gpus < 2:
        print(f"several ranks: skipped, {gpus} GPU is here")
        return
    words = mpi.settings("train.accumulate=2", "train.measure=false")
    nccl, _ = train(folder, "nccl-2", 2, {}, *words)
    host, _ = train(folder, "host-2", 2, {"YONA_NCCL": "off"}, *words)
    mpi.check(nccl == host, "two ranks over NCCL have other bytes than through the host")
    print("two ranks over NCCL have the bytes of those through the host")


def refused(folder):
    """More ranks than GPUs: whether the one that is named is there or not."""
    mpi.ENVIRONMENT = os.environ | {"CUDA_VISIBLE_DEVICES": "0"}
    said = mpi.run(mpi.flags(folder, folder / "refused", "--device", "cuda", "--updates", "1"), 2, expect=2)
    mpi.check("--device cuda: 2 ranks share 1 GPU on one machine" in said, said)
    print("more ranks than GPUs are refused")


def main():
    if shutil.which("mpirun") and (mpi.YONA.parent / "libyona_mpi.so").exists():
        with tempfile.TemporaryDirectory() as name:
            mpi.write_corpus(Path(name))
            refused(Path(name))
    if absent := missing():
        print("skipped: not here:", ", ".join(absent))
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mpi.write_corpus(folder)
        same_bytes(folder)
        several(folder)


if __name__ == "__main__":
    main()
