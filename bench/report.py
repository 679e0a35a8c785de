"""The tables that bench/train_step.py prints: what its JSON file holds, for people to read."""

PEERS = ("pytorch", "marian")


def print_machine(machine, tokens, peers):
    print(f"{machine['cpu']}, {machine['usable_cpus']} CPUs, {machine['instruction_set']}; "
          f"{machine['yona']} ({machine['commit']})")
    print(f"a training step of {tokens} source and {tokens} target tokens, sentences of 32, "
          f"dropout 0.1, Adam; peers: {', '.join(peers) or 'none is installed'}\n")


def print_heading():
    print(f"{'preset':7} {'dtype':9} {'lengths':8} {'threads':>7} {'yona tok/s':>11} {'of peak':>8} "
          f"{'PyTorch':>9} {'ratio':>7} {'Marian':>9} {'ratio':>7} {'memory':>9} {'PyTorch':>9} "
          f"{'ratio':>6}")


def number(value, width, digits=0, unit=""):
    text = "-" if value is None else f"{value:,.{digits}f}{unit}"
    return f"{text:>{width}}"


def print_row(row, peak):
    """The share of the peak here is of the peak seen so far; the file has the final one."""
    line = (f"{row['preset']:7} {row['dtype']:9} {'unequal' if row['ragged'] else 'equal':8} "
            f"{row['threads']:7} ")
    if "yona" not in row:
        print(line + " " + row["note"], flush=True)
        return
    line += number(row["yona"]["tgt_tok_s"], 11) + " "
    line += number(100 * row["yona"]["gflops"] / peak if peak else None, 6) + " %"
    for peer in PEERS:
        line += " " + number(row.get(peer, {}).get("tgt_tok_s"), 9)
        line += " " + number(row["speed_ratio"].get(peer), 6, 2, "x").rjust(7)
    line += " " + number(row["yona"]["mem_gb"], 6, 2) + " GB"
    line += " " + number(row.get("pytorch", {}).get("mem_gb"), 6, 2) + " GB"
    line += " " + number(row["memory_ratio"].get("pytorch"), 6, 2)
    print(line, flush=True)


def print_peaks(peaks):
    print("\nfastest product of the machine in this run: " + ", ".join(
        f"{peak['gflops']:,.0f} GFLOP/s ({peak['dtype']}, {peak['threads']} "
        f"thread{'s' if peak['threads'] > 1 else ''})" for peak in peaks))


def is_plain(row):
    return "yona" in row and not row["ragged"] and row["dtype"] == "float32"


def print_parts(rows):
    most = max(row["threads"] for row in rows)
    print("\nwhere the time of a step goes (float32, equal lengths):")
    for row in rows:
        if not is_plain(row) or row["threads"] != most:
            continue
        parts = sorted(row["yona"]["ms_by_kernel"].items(), key=lambda item: -item[1])
        total = sum(ms for _, ms in parts)
        shown = ", ".join(f"{name} {ms:.1f} ms ({100 * ms / total:.0f} %)"
                          for name, ms in parts if ms > total / 200)
        print(f"  {row['preset']:6} {shown}; all kernels {total:.1f} of {row['yona']['ms']:.1f} ms")


def print_scaling(rows):
    plain = {(row["preset"], row["threads"]): row["yona"]["tgt_tok_s"]
             for row in rows if is_plain(row)}
    pairs = [(preset, plain[preset, 2] / plain[preset, 1]) for preset, count in plain
             if count == 1 and (preset, 2) in plain]
    if pairs:
        print("\ntwo threads over one: " +
              ", ".join(f"{preset} {ratio:.2f}x" for preset, ratio in pairs))


def print_attention(rows):
    print("\nattention by length (8 heads of 64, forward and backward, one sentence):")
    print(f"{'length':>8} {'forward':>11} {'backward':>11} {'GFLOP/s':>8} {'tensors':>10} "
          f"{'process':>10} {'per token':>10}")
    for row in rows:
        resident = row["resident_mb"]
        print(f"{row['length']:8,} {row['ms_forward']:8,.1f} ms {row['ms_backward']:8,.1f} ms "
              f"{row['gflops']:8,.0f} {row['step_mb']:7,.1f} MB "
              + number(resident, 7, 1, " MB").rjust(10)
              + f" {row['step_mb'] * 1024 / row['length']:7,.2f} kB")
