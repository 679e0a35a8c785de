"""Translates the lines of a file with Ray: each worker loads the model and translates partitions of the file.

usage: ray_translate.py MODEL INPUT OUTPUT [--workers N] [--threads N] [--lines N]

Partitions are written in order. On a cluster, `ray.init()` finds the head node, and all machines must see the folder MODEL. For Spark see
docs/cluster.md.
"""

import argparse
import itertools

import ray
from ray.util import ActorPool


@ray.remote
class Translator:
    """A worker: loads the model once, then translates one partition after another."""

    def __init__(self, folder, threads):
        import yona

        self.model = yona.Model.load(folder, threads=threads)

    def translate(self, lines):
        return [translation.text for translation in self.model.translate(lines)]


def partitions(file, lines):
    while part := [line.rstrip("\n") for line in itertools.islice(file, lines)]:
        yield part


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of each worker")
    parser.add_argument("--lines", type=int, default=1024, help="of a partition")
    options = parser.parse_args()
    ray.init(log_to_driver=False)
    workers = [Translator.options(num_cpus=options.threads).remote(options.model, options.threads) for _ in range(options.workers)]
    with open(options.input, encoding="utf-8") as source, open(options.output, "w", encoding="utf-8") as output:
        for lines in ActorPool(workers).map(lambda worker, part: worker.translate.remote(part), partitions(source, options.lines)):
            output.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
