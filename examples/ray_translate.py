"""Translates the lines of a file with Ray, for clusters that already run it: one model in each worker, partitions dealt out to them.

usage: ray_translate.py MODEL INPUT OUTPUT [--workers N] [--threads N] [--lines N]

Partitions are written in their order. On a cluster, `ray.init()` finds the head node, and MODEL must be a folder that
all machines see. The same function maps over partitions of a Spark data frame: docs/cluster.md.
"""

import argparse
import itertools

import ray
from ray.util import ActorPool


@ray.remote
class Translator:
    """A worker: it loads the model once, and translates one partition after another."""

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
