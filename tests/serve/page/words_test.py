#!/usr/bin/env python3
"""The words of the page: every language has the same keys in the same order and the same {places}, every key is used
by the page, and every key that the page uses is there."""
import glob
import json
import os
import re
import sys

PAGE = os.path.join(os.environ["YONA_SOURCE_DIR"], "yona", "serve", "page")
SHARED = os.path.join(os.environ["YONA_SOURCE_DIR"], "yona", "inspect", "attention_view.js")
LITERAL = re.compile(r"""["'`]([a-z_]+(?:\.[a-z_]+)+)["'`]|data-t(?:-[a-z]+)?="([a-z_.]+)\"""")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def places(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


def used_keys(all_keys):
    sources = [read(SHARED)] + [read(path) for end in ("html", "js") for path in glob.glob(f"{PAGE}/*.{end}")]
    used = {a or b for source in sources for a, b in LITERAL.findall(source)}
    # Keys that are put together: t("nav." + view), t(`explained.${name}.title`).
    for source in sources:
        for prefix in re.findall(r'"([a-z_]+(?:\.[a-z_]+)*\.)" \+', source):
            used |= {key for key in all_keys if key.startswith(prefix)}
        for before, after in re.findall(r"`([a-z_.]+)\$\{\w+\}([a-z_.]*)`", source):
            used |= {key for key in all_keys if key.startswith(before) and key.endswith(after)}
    return used


def main():
    files = {os.path.basename(path)[len("words-"):-len(".json")]: json.loads(read(path)) for path in glob.glob(f"{PAGE}/words-*.json")}
    assert set(files) == {"en", "de", "zh-hans", "zh-hant"}, sorted(files)
    offered = {code.lower() for code in re.findall(r'"?([\w-]+)"?: "', re.search(r"languages = \{(.*?)\}", read(f"{PAGE}/i18n.js")).group(1))}
    assert offered == set(files), offered
    english = files["en"]
    for code, words in files.items():
        assert list(words) == list(english), (code, set(words) ^ set(english))
        for key, text in words.items():
            assert text.strip() == text and text, (code, key)
            assert places(text) == places(english[key]), (code, key, text)
    used = used_keys(english)
    assert not set(english) - used, f"keys that nothing uses: {sorted(set(english) - used)}"
    namespaces = {key.split(".")[0] for key in english}
    wanted = {key for key in used if key.split(".")[0] in namespaces and not re.search(r"\.(js|css|json|svg)$", key)}
    assert not wanted - set(english), f"keys that are missing: {sorted(wanted - set(english))}"


main()
sys.exit(0)
