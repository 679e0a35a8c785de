"""tools/fuzz_campaign.py: a campaign goes on from its result, over commits, and says what it found where."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

CAMPAIGN = os.path.join(os.environ["YONA_SOURCE_DIR"], "tools", "fuzz_campaign.py")


class FuzzCampaign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = folder.name
        self.result = os.path.join(self.build, "result.json")
        os.mkdir(os.path.join(self.build, "fuzz"))

    def target(self, name, inputs, status=0):
        path = os.path.join(self.build, "fuzz", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho ' cov: 7 '\necho 'stat::number_of_executed_units: {inputs}'\nexit {status}\n")
        os.chmod(path, 0o755)

    def run_at(self, commit):
        done = subprocess.run([sys.executable, CAMPAIGN, self.build, "--commit", commit, "--sanitizers", "address",
                               "--result", self.result], capture_output=True, text=True)
        with open(self.result, encoding="utf-8") as file:
            return done, json.load(file)["targets"]

    def test_inputs_are_added_up_until_there_are_ten_million(self):
        self.target("one_fuzz", 6_000_000)
        done, targets = self.run_at("aaa")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((targets["one_fuzz"]["inputs"], targets["one_fuzz"]["complete"]), (12_000_000, True))
        self.assertEqual(self.run_at("bbb")[1], targets)  # nothing is left to do

    def test_a_finding_ends_a_target_at_its_commit_alone(self):
        self.target("one_fuzz", 5, status=1)
        done, targets = self.run_at("aaa")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout)
        self.assertEqual(self.run_at("aaa")[1], targets)
        self.target("one_fuzz", 9_999_995)
        done, targets = self.run_at("bbb")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({commit: (each["inputs"], each["findings"]) for commit, each in targets["one_fuzz"]["commits"].items()},
                         {"aaa": (5, 1), "bbb": (9_999_995, 0)})


if __name__ == "__main__":
    unittest.main()
