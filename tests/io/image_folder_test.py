"""A folder of `yona train --task image-classification` in transformers: the same probabilities. Skipped without it."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import torch
    from transformers import ViTForImageClassification
except ImportError:
    print("skipped: needs torch and transformers")
    sys.exit(77)

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
COUNT, SIDE = 24, 8


def pixel(image, y, x):
    return (160 if (x < SIDE // 2) == (image % 2 == 0) else 20) + (image * 7 + y * 3 + x) % 50


def yona(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=True).stdout


class ImageFolder(unittest.TestCase):
    def test_transformers_gives_the_same_probabilities(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            pixels = bytes(pixel(i, y, x) for i in range(COUNT) for y in range(SIDE) for x in range(SIDE))
            (folder / "t-images").write_bytes(struct.pack(">BBBBIII", 0, 0, 8, 3, COUNT, SIDE, SIDE) + pixels)
            (folder / "t-labels").write_bytes(struct.pack(">BBBBI", 0, 0, 8, 1, COUNT) + bytes(i % 2 for i in range(COUNT)))
            yona("train", "--task", "image-classification", "--train", folder / "t-images", "--output", folder / "run",
                 "--set", "model.d_model=16", "--set", "model.layers=2", "--set", "model.d_ff=24", "--set", "train.updates=10",
                 "--set", "train.warmup=2", "--set", "data.labels=left,right", "--set", "train.batch_tokens=64")
            answers = [json.loads(line) for line in
                       yona("classify", "--model", folder / "run", "--image", folder / "t-images", "--json").splitlines()]
            model = ViTForImageClassification.from_pretrained(folder / "run").eval()
            processor = json.loads((folder / "run" / "preprocessor_config.json").read_text())
            values = torch.tensor(list(pixels), dtype=torch.float32).reshape(COUNT, 1, SIDE, SIDE)
            values = (values * processor["rescale_factor"] - processor["image_mean"][0]) / processor["image_std"][0]
            with torch.no_grad():
                expected = model(values).logits.softmax(-1)
            self.assertEqual(model.config.id2label, {0: "left", 1: "right"})
            for answer, row in zip(answers, expected):
                self.assertAlmostEqual(answer["labels"]["left"], float(row[0]), places=4)


if __name__ == "__main__":
    unittest.main()
