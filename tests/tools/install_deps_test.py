"""tools/install-deps.sh on machines that are not this one: its commands are replaced by small
scripts in a folder that is the whole PATH, so nothing is asked of the real system."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(os.environ["YONA_SOURCE_DIR"]) / "tools/install-deps.sh"
INSTALLED = "#!/bin/bash\necho installed\n"


def missing(*names):
    """A dpkg-query that knows every package but these; the first was removed, its settings kept."""
    cases = f"{names[0]}) echo config-files ;;"
    cases += "".join(f"{name}) exit 1 ;;" for name in names[1:])
    return f'#!/bin/bash\ncase "${{@: -1}}" in {cases} *) echo installed ;; esac\n'


class InstallDeps(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.calls = self.folder / "calls"
        for name in ("bash", "env", "grep", "dirname", "cat", "mktemp", "rm"):
            (self.folder / name).symlink_to(shutil.which(name))
        self.command("id", "#!/bin/bash\necho 0\n")
        self.command("apt-get", f'#!/bin/bash\necho "$DEBIAN_FRONTEND $@" >> {self.calls}\n')
        self.command("dpkg-query", INSTALLED)

    def command(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run_script(self, *arguments):
        return subprocess.run(
            [SCRIPT, *arguments],
            env={"PATH": str(self.folder), "TMPDIR": str(self.folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def apt_calls(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_is_silent_and_does_nothing_when_all_is_there(self):
        done = self.run_script("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.apt_calls(), [])

    def test_installs_only_what_is_missing_and_says_so(self):
        self.command("dpkg-query", missing("libhwy-dev", "libfmt-dev"))
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("minutes: libhwy-dev libfmt-dev\n", done.stderr)
        self.assertTrue(self.apt_calls()[-1].startswith("noninteractive "))
        self.assertTrue(
            self.apt_calls()[-1].endswith("install -y --no-install-recommends libhwy-dev libfmt-dev")
        )

    def test_leaves_the_clang_tools_out_unless_asked(self):
        self.command("dpkg-query", missing("clang-tidy"))
        self.assertEqual(self.run_script().stderr, "")
        self.assertIn("clang-tidy", self.run_script("--check").stderr)

    def test_uses_sudo_that_asks_for_no_password(self):
        self.command("id", "#!/bin/bash\necho 1000\n")
        self.command("sudo", f'#!/bin/bash\necho "sudo $@" >> {self.calls}\n')
        self.command("dpkg-query", missing("cmake"))
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("through sudo", done.stderr)
        self.assertIn("sudo env", self.apt_calls()[-1])

    def test_without_root_and_sudo_names_the_packages_and_the_command(self):
        self.command("id", "#!/bin/bash\necho 1000\n")
        self.command("dpkg-query", missing("cmake", "libzstd-dev"))
        done = self.run_script()
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get install cmake libzstd-dev", done.stderr)
        self.assertEqual(self.apt_calls(), [])

    def test_a_sudo_that_wants_a_password_is_not_asked_without_a_terminal(self):
        self.command("id", "#!/bin/bash\necho 1000\n")
        self.command("sudo", "#!/bin/bash\nexit 1\n")
        self.command("dpkg-query", missing("cmake"))
        self.assertEqual(self.run_script().returncode, 2)

    def test_without_apt_lists_every_package_and_says_how_to_go_on(self):
        (self.folder / "apt-get").unlink()
        done = self.run_script()
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no apt", done.stderr)
        self.assertIn("libsentencepiece-dev", done.stderr)
        self.assertIn("DEPS=no", done.stderr)

    def test_a_failing_apt_shows_its_own_words(self):
        self.command("apt-get", "#!/bin/bash\necho 'E: disk is full'\nexit 100\n")
        self.command("dpkg-query", missing("cmake"))
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: disk is full", done.stderr)
        self.assertIn("could not install: cmake", done.stderr)

    def test_an_unknown_option_is_refused(self):
        self.assertEqual(self.run_script("--all").returncode, 2)


if __name__ == "__main__":
    unittest.main()
