"""A model trained for a moment on the built-in task, for tests that look at what the program writes."""
import os
import subprocess


def demo_model(folder):
    """Returns the path of the model inside `folder`."""
    output = os.path.join(folder, "demo")
    subprocess.run([os.environ["YONA_PROGRAM"], "-q", "demo", "--output", output, "--updates", "3"], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return os.path.join(output, "model")
