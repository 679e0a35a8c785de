#!/usr/bin/env python3
"""Rewrites CUDA sources so that a C++ compiler takes them: convert.py SOURCES TARGET

Launches, kernel<<<...>>>(...), become calls of cuda_on_host::launch; shared memory of a size known
at run time becomes a pointer; an asm statement becomes a call of the function of ptx.h that has the
instruction's name, with the statement's operands. .cu files become .cc files. Files that have not
changed are left alone, so that what was compiled from them stays good.
"""
import pathlib
import re
import sys

REPLACED = {"memory.cc", "cublaslt.cc", "matmul_plans.cc", "sort.cu"}  # by stand_ins.cc

NOT_THERE = {"tensor_map.cc"}  # TMA descriptors of Hopper


def begin_of_name(text, end):
    """Where the name that ends at `end` begins: kernel, kernel<T>, kernel<T, f(x)>."""
    begin = end
    if text[begin - 1] == ">":
        depth = 0
        while True:
            begin -= 1
            depth += {">": 1, "<": -1}.get(text[begin], 0)
            if depth == 0:
                break
    while text[begin - 1].isalnum() or text[begin - 1] in "_:":
        begin -= 1
    return begin


def convert_launches(text):
    while (at := text.find("<<<")) >= 0:
        name_end = len(text[:at].rstrip())
        name_begin = begin_of_name(text, name_end)
        name = text[name_begin:name_end]
        close = text.index(">>>", at)
        size = text[at + 3:close]
        call = f"cuda_on_host::launch({size}, [=](auto... each) {{ {name}(each...); }})"
        text = text[:name_begin] + call + text[close + 3:]
    return text


def convert_shared(text):
    declaration = r"extern __shared__ (?:__align__\(\d+\) )?([\w ]+?) (\w+)\[\];"
    return re.sub(declaration, r"auto* \2 = static_cast<\1*>(cuda_on_host::dynamic_shared());", text)


def convert_asm(text):
    def call(match):
        instruction = match["instruction"].replace(".", "_").rstrip(";")
        operands = re.findall(r'"[+=]?[frln]"\(([^)]*)\)', match["rest"])
        return f"cuda_on_host::{instruction}({', '.join(operands)});"

    statement = r'asm(?: volatile)?\(\s*"(?P<instruction>[\w.]+;?)(?P<rest>.*?)\);'
    return re.sub(statement, call, text, flags=re.DOTALL)


def main():
    sources, target = map(pathlib.Path, sys.argv[1:3])
    for source in sorted(sources.rglob("*.*")):
        if source.name in REPLACED | NOT_THERE:
            continue
        text = source.read_text()
        name = source.name
        if source.suffix in (".cu", ".cuh"):
            text = convert_asm(convert_launches(convert_shared(text)))
        if source.suffix == ".cu":
            name = source.stem + ".cu.cc"
        file = target / source.relative_to(sources).with_name(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f'#line 1 "{source}"\n{text}'
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


if __name__ == "__main__":
    main()
