#!/usr/bin/env python3
"""Runs the code cells of a notebook one after another, as Jupyter would, without needing it.

usage: tools/notebook.py NOTEBOOK [--write]      --write keeps the outputs in the file

What a cell prints and the value of its last line become its outputs; a value may have _repr_svg_ or
_repr_html_. Exit code 1, and the traceback, when a cell fails.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path


def lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """A value as Jupyter keeps it: in each form that it has."""
    data = {"text/plain": lines(repr(value))}
    for name, kind in (("_repr_svg_", "image/svg+xml"), ("_repr_html_", "text/html")):
        if hasattr(value, name):
            data[kind] = lines(getattr(value, name)())
    return data


def run_cell(source, scope):
    """The outputs of a cell, whose names stay in `scope`."""
    outputs = []
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), scope)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), scope) if last else None
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append({"output_type": "execute_result", "metadata": {}, "data": shown(value)})
    return outputs


def run_notebook(notebook):
    """Fills in the outputs of every code cell; gives the names that were defined."""
    scope = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        cell["execution_count"] = number
        cell["outputs"] = run_cell("".join(cell["source"]), scope)
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = number
    return scope


def main(path, *flags):
    notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    run_notebook(notebook)
    if "--write" in flags:
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        Path(path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
