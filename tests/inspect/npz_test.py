#!/usr/bin/env python3
"""NumPy itself reads what `yona attention` writes, and finds what the JSON has. Skipped without NumPy."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(__file__))
from demo_model import demo_model  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        model = demo_model(folder)
        common = [os.environ["YONA_PROGRAM"], "attention", "--model", model, "--source", "seven past two"]
        path = os.path.join(folder, "attention.npz")
        subprocess.run(common + ["--output", path], check=True)
        data = json.loads(subprocess.run(common + ["--format", "json"], check=True, capture_output=True).stdout)
        with numpy.load(path) as arrays:
            for part in ("encoder", "decoder", "cross"):
                expected = numpy.array(data[part], dtype=numpy.float32)
                assert arrays[part].shape == expected.shape, (part, arrays[part].shape, expected.shape)
                assert numpy.allclose(arrays[part], expected, atol=1e-6), part
                assert numpy.allclose(arrays[part].sum(axis=-1), 1, atol=1e-5), part
            for name in ("source_tokens", "target_tokens", "decoder_tokens"):
                assert list(arrays[name]) == data[name], (name, arrays[name], data[name])


main()
