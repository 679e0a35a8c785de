#!/usr/bin/env python3
"""The attention page in a real browser: heads are chosen, tokens pointed at and keys pressed by events, and what the
page then says is read from its document. Skipped where there is no Chromium."""
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from demo_model import demo_model  # noqa: E402

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SOURCE = "a quarter past <seven> & \"two\" שבע 七 🎈"

# Runs after the page; each step writes what it saw into the document as data-NAME.
STEPS = """
<script type="module">
const seen = (name, value) => document.body.setAttribute("data-" + name, value);
const part = name => document.querySelector(`[data-name="${name}"]`);
const lines = () => Number(part("canvas").dataset.lines);
const pressed = name => [...part(name).querySelectorAll("[aria-pressed=true]")].map(button => button.value).join();
const tokens = name => part(name).querySelectorAll(".token");
const button = (name, value) => part(name).querySelector(`[value="${value}"]`);
const key = name => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
window.onerror = message => seen("error", message);

seen("start", pressed("parts") + " " + pressed("layers") + " " + pressed("heads"));
seen("all-lines", lines());
button("heads", "none").click();
button("heads", "1").click();
seen("one-head", pressed("heads"));
seen("one-head-lines", lines());
tokens("queries")[0].dispatchEvent(new MouseEvent("mouseenter"));
seen("hover", part("said").textContent);
seen("hover-lines", lines());
seen("hover-current", tokens("queries")[0].getAttribute("aria-current"));
document.querySelector(".lines").dispatchEvent(new MouseEvent("mouseleave"));
seen("left-lines", lines());
tokens("keys")[0].focus();
key("ArrowDown");
seen("arrow", [...tokens("keys")].indexOf(document.activeElement));
key("Escape");
seen("escape", document.querySelectorAll(".token[aria-current=true]").length);
button("shapes", "matrix").click();
seen("matrix", part("canvas").width + " " + part("canvas").height + " " + tokens("keys").length + " " + tokens("queries").length);
button("shapes", "lines").click();
button("parts", "encoder").click();
seen("encoder", tokens("queries").length + " " + tokens("keys").length);
part("grid").querySelector("[data-layer='0'][data-head='2']").click();
seen("grid", pressed("layers") + " " + pressed("heads"));
key("]");
seen("bracket", pressed("layers"));
seen("address", location.hash);
seen("texts", document.querySelector("#texts dd").textContent);
seen("table", document.querySelectorAll("#figures tr").length);
seen("elements", document.querySelectorAll(".keys b, .keys i, seven").length);
</script>
"""


def browse(page, *flags):
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *flags, page]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode()


def check(seen, name, expected):
    assert seen.get(name) == expected, f"{name}: {seen.get(name)!r}, expected {expected!r}"


def check_behaviour(seen):
    assert "error" not in seen, seen["error"]
    check(seen, "start", "cross 2 all,0,1,2,3")
    check(seen, "one-head", "1")
    assert 0 < int(seen["one-head-lines"]) < int(seen["all-lines"]), seen
    assert " looks at “" in seen["hover"], seen["hover"]
    assert 0 < int(seen["hover-lines"]) < int(seen["one-head-lines"]), seen
    check(seen, "hover-current", "true")
    check(seen, "left-lines", seen["one-head-lines"])
    check(seen, "arrow", "1")
    check(seen, "escape", "0")
    width, height, keys, queries = seen["matrix"].split()
    assert (width, height) == (keys, queries), seen["matrix"]
    queries, keys = seen["encoder"].split()
    assert queries == keys and int(keys) > 5, seen["encoder"]
    check(seen, "grid", "0 2")
    check(seen, "bracket", "1")
    check(seen, "address", "#part=encoder&layer=2&heads=3")
    check(seen, "texts", SOURCE)
    check(seen, "table", "13")  # three layers of four heads, and the titles
    check(seen, "elements", "0")


def main():
    if BROWSER is None:
        print("no Chromium here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "attention.html")
        subprocess.run([os.environ["YONA_PROGRAM"], "-q", "attention", "--model", demo_model(folder), "--source", SOURCE,
                        "--output", page], check=True)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        driven = os.path.join(folder, "driven.html")
        with open(driven, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", STEPS + "</body>"))
        document = browse("file://" + driven, "--dump-dom")
        body = re.search(r"<body([^>]*)>", document).group(1)
        check_behaviour({name: html.unescape(value) for name, value in re.findall(r'data-([a-z-]+)="([^"]*)"', body)})
        for width in (360, 1200):  # it draws at the width of a phone too
            picture = os.path.join(folder, f"{width}.png")
            browse("file://" + page, f"--window-size={width},900", "--screenshot=" + picture)
            assert os.path.getsize(picture) > 10000, width


main()
