"""Decoding compared with CTranslate2: the same weights, sentences and threads, one run, as ratios.

  bench/decode.py --folder build/bench-decode                  random weights of preset base
  bench/decode.py --folder … --model RUN --input test.en       and a trained model on real lines
  … --shortlist RUN/lex                                        those lines with a lexical shortlist too
  bench/decode.py --folder BASE --compute int8 --output …      in bytes; BASE is a model folder with
                                                               sub-words: both run its weights

The engines take turns, so that a slow minute of the machine hits both; figures are medians over
rounds. Rows with one thread also have tokens for each second of CPU time, which other programs on the
machine disturb less. Run by a Python that has ctranslate2, transformers, torch and sentencepiece.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.path.join(HERE, "peers", "ct2_decode.py")
CASES = [(threads, beam, batch) for threads in (1, 2) for beam in (1, 4) for batch in (1, 32)]


def output_of(command):
    command = [str(word) for word in command]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(command)}\nfailed with {run.returncode}: {run.stderr[-800:]}")
    return run.stdout


def last_json(text):
    return json.loads([line for line in text.splitlines() if line.startswith("{")][-1])


def medians(runs):
    return {key: statistics.median(run[key] for run in runs)
            for key in ("tok_s", "cpu_tok_s", "ms", "load_s", "first_s", "mem_mb")}


def ratio(row, key):
    return row["yona"][key] / row["ctranslate2"][key]


def own_weights(a):
    """What yona runs: the folder's weights where it is a model folder, else random ones."""
    if not os.path.exists(os.path.join(a.folder, "source.spm")):
        return ["--preset", "base"]
    return ["--model", int8_folder(a, a.folder) if a.compute == "int8" else a.folder]


def int8_folder(a, folder):
    made = os.path.join(folder, "yona-int8")
    if not os.path.exists(made):
        output_of([a.yona, "convert", "--quantize", "int8", "--model", folder, "--output", made])
    return made


def measure(a, case):
    threads, beam, batch = case
    flags = ["--threads", threads, "--beam", beam, "--batch", batch, "--reps", a.reps]
    own = [a.yona, "bench", "translate", "--compute-type", a.compute] + own_weights(a)
    yona, peer = [], []
    for _ in range(a.rounds):
        yona.append(last_json(output_of(own + flags)))
        peer.append(last_json(output_of([sys.executable, PEER, "time", a.folder, "--compute",
                                         a.peer_compute] + flags)))
    row = {"threads": threads, "beam": beam, "batch": batch, "yona": medians(yona),
           "ctranslate2": medians(peer)}
    row["ratio"] = {key: ratio(row, key) for key in ("tok_s", "cpu_tok_s", "mem_mb")}
    print(f"{threads:7} {beam:4} {batch:5} {row['yona']['tok_s']:10.1f} "
          f"{row['ctranslate2']['tok_s']:12.1f} {row['ratio']['tok_s']:6.2f} "
          f"{row['ratio']['cpu_tok_s']:9.2f} {row['yona']['mem_mb']:7.0f} "
          f"{row['ctranslate2']['mem_mb']:12.0f}", flush=True)
    return row


def differing(ours, theirs):
    """Lines whose pieces differ, and of them those with scores apart by more than 1e-4."""
    count = apart = 0
    for a, b in zip(ours, theirs, strict=True):
        best = a["translations"][0]
        pieces = [token["piece"] for token in best["tokens"] if token["piece"] != "</s>"]
        if pieces != b["pieces"]:
            count += 1
            apart += abs(best["score"] - b["score"]) > 1e-4
    return count, apart


def tokens_per_line(folder, path):
    import sentencepiece
    subwords = sentencepiece.SentencePieceProcessor(os.path.join(folder, "source.spm"))
    with open(path, encoding="utf-8") as file:
        return statistics.mean(len(subwords.encode(line)) + 1 for line in file)


def run_ours(a, model, case, output, more=()):
    """Wall and CPU seconds of `yona translate`, its start and files included."""
    threads, beam, batch = case
    tokens = 1 if batch == 1 else round(batch * beam * tokens_per_line(a.model, a.input))
    before = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    output_of([a.yona, "translate", "--model", model, "--input", a.input, "--beam-mode", "ctranslate2",
               "--beam", beam, "--json", "--output", output, "--threads", threads, "--batch-tokens", tokens,
               *more])
    wall = time.perf_counter() - before[1]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before[0].ru_utime - before[0].ru_stime


def compare_real(a, case):
    """Real lines with natural ends: equal outputs, and tokens a second."""
    threads, beam, batch = case
    model = int8_folder(a, a.model) if a.compute == "int8" else a.model
    ours, theirs = os.path.join(a.folder, "yona.jsonl"), os.path.join(a.folder, "ct2.jsonl")
    runs, peer = [], []
    for _ in range(a.rounds):
        runs.append(run_ours(a, model, case, ours))
        peer.append(last_json(output_of([sys.executable, PEER, "translate", a.model, "--input", a.input,
                                         "--output", theirs, "--reps", 1, "--compute", a.peer_compute,
                                         "--threads", threads, "--beam", beam, "--batch", batch])))
    with open(ours, encoding="utf-8") as one, open(theirs, encoding="utf-8") as two:
        lines = [json.loads(line) for line in one]
        count, apart = differing(lines, [json.loads(line) for line in two])
    tokens = sum(len(line["translations"][0]["tokens"]) for line in lines)
    wall, cpu = (statistics.median(run[i] for run in runs) for i in (0, 1))
    row = {"threads": threads, "beam": beam, "batch": batch, "lines": len(lines), "differ": count,
           "differ_beyond_ties": apart, "yona": {"tok_s": tokens / wall, "cpu_tok_s": tokens / cpu},
           "ctranslate2": medians(peer)}
    row["ratio"] = {key: ratio(row, key) for key in ("tok_s", "cpu_tok_s")}
    print(f"{threads:7} {beam:4} {batch:5} {tokens / wall:10.1f} {row['ctranslate2']['tok_s']:12.1f} "
          f"{row['ratio']['tok_s']:6.2f} {row['ratio']['cpu_tok_s']:9.2f}  {count} outputs differ, "
          f"{apart} with scores apart by more than 1e-4", flush=True)
    return row


def compare_real_rows(a):
    output_of([sys.executable, PEER, "convert", a.model, "--compute", a.peer_compute])
    print(f"{a.input}: yona with its start and files, CTranslate2 without")
    return [compare_real(a, CASES[i]) for i in a.cases]


def best_pieces(path):
    with open(path, encoding="utf-8") as file:
        return [[token["piece"] for token in json.loads(line)["translations"][0]["tokens"]] for line in file]


def compare_shortlist(a, case):
    """The same lines with the shortlist and without, taking turns."""
    threads, beam, batch = case
    model = int8_folder(a, a.model) if a.compute == "int8" else a.model
    ways = {"without": (), "with": ("--shortlist", a.shortlist)}
    paths = {way: os.path.join(a.folder, f"{way}.jsonl") for way in ways}
    seconds = {way: [] for way in ways}
    for _ in range(a.rounds):
        for way, more in ways.items():
            seconds[way].append(run_ours(a, model, case, paths[way], more))
    outputs = {way: best_pieces(path) for way, path in paths.items()}
    row = {"threads": threads, "beam": beam, "batch": batch, "lines": len(outputs["with"]),
           "differ": sum(x != y for x, y in zip(outputs["with"], outputs["without"], strict=True))}
    for way in ways:
        tokens = sum(len(pieces) for pieces in outputs[way])
        wall, cpu = (statistics.median(run[i] for run in seconds[way]) for i in (0, 1))
        row[way] = {"tok_s": tokens / wall, "cpu_tok_s": tokens / cpu}
    row["ratio"] = {key: row["with"][key] / row["without"][key] for key in ("tok_s", "cpu_tok_s")}
    print(f"{threads:7} {beam:4} {batch:5} {row['with']['tok_s']:10.1f} {row['without']['tok_s']:12.1f} "
          f"{row['ratio']['tok_s']:6.2f} {row['ratio']['cpu_tok_s']:9.2f}  {row['differ']} of {row['lines']} "
          "outputs differ", flush=True)
    return row


def compare_shortlist_rows(a):
    print(f"{a.input}: yona with {a.shortlist}, and without")
    return [compare_shortlist(a, CASES[i]) for i in a.cases]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, help="where the random model is kept")
    parser.add_argument("--yona", default="build/yona")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--cases", type=int, nargs="*", default=range(len(CASES)))
    parser.add_argument("--model", help="a trained model, for --input")
    parser.add_argument("--input")
    parser.add_argument("--shortlist", help="of --model, by `yona shortlist`: --input with it and without")
    parser.add_argument("--output", default=os.path.join(HERE, "results", "decode.json"))
    parser.add_argument("--compute", default="f32", choices=("f32", "int8"))
    a = parser.parse_args()
    if bool(a.model) != bool(a.input) or (a.shortlist and not a.model):
        parser.error("--model and --input go together, and --shortlist wants both")
    a.peer_compute = {"f32": "float32", "int8": "int8"}[a.compute]
    if not os.path.exists(os.path.join(a.folder, "config.json")):
        output_of([sys.executable, PEER, "make", a.folder])
    if not os.path.exists(os.path.join(a.folder, "ct2" if a.compute == "f32" else "ct2-int8")):
        output_of([sys.executable, PEER, "convert", a.folder, "--compute", a.peer_compute])
    print(f"{'threads':>7} {'beam':>4} {'batch':>5} {'yona tok/s':>10} {'CTranslate2':>12} "
          f"{'ratio':>6} {'CPU time':>9} {'MB':>7} {'CTranslate2':>12}")
    rows = [measure(a, CASES[i]) for i in a.cases]
    result = {"preset": "base", "compute": a.compute, "src_len": 32, "new": 32, "rounds": a.rounds, "rows": rows}
    if a.model:
        result["real"] = compare_real_rows(a)
    if a.shortlist:
        result["shortlist"] = compare_shortlist_rows(a)
    with open(a.output, "w", encoding="utf-8") as file:
        file.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
