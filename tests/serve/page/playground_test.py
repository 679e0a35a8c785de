#!/usr/bin/env python3
"""The playground of `yona serve` with a language model, in a real browser: an answer streams in, settings count, tokens
show their distribution. Skipped where there is no Chromium. With YONA_SCREENSHOTS=DIR pictures are left there."""
import os
import sys
import tempfile

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..")]
from browser import BROWSER, Browser  # noqa: E402
from language_folder import language_folder  # noqa: E402
from server_process import ServerProcess  # noqa: E402

PICTURES = os.environ.get("YONA_SCREENSHOTS")
SOURCES = os.path.join(os.environ["YONA_SOURCE_DIR"], "yona", "serve", "page")
# Elements that are too small for a finger, or a page that scrolls sideways.
LAYOUT = """(() => {
  const wrong = document.documentElement.scrollWidth > innerWidth ? ["sideways"] : [];
  for (const element of document.querySelectorAll("button:not(.piece), select, input")) {
    const box = element.getBoundingClientRect();
    if (box.width && (box.height < 24 || box.width < 24)) wrong.push(element.outerHTML.slice(0, 80));
  }
  return wrong.join("\\n");
})()"""


def set_value(browser, name, value):
    browser.run(f"document.querySelector('#generate-{name}').value = {value!r}")


def answer(browser):
    return browser.run("[...document.querySelectorAll('#generated .piece')].map(token => token.textContent)")


def generate(browser, button="#generate"):
    """Until the answer is complete; its tokens."""
    browser.click(button)
    browser.wait("document.querySelector('#generate').hidden === false && document.querySelector('#generate-said').textContent !== ''")
    return answer(browser)


def main(browser, server):
    browser.open(server.url)
    browser.wait("document.querySelector('[data-view=generate]').hidden === false")
    links = browser.run("[...document.querySelectorAll('.top nav a')].filter(link => !link.hidden).map(link => link.hash).join()")
    assert links == "#generate", links  # there is nothing to translate with
    browser.click("#prompt")
    browser.type("Once upon a time")
    for name, value in (("temperature", 0), ("max-tokens", 12)):
        set_value(browser, name, value)
    best = generate(browser)
    _, expected = server.post("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 12, "temperature": 0})
    assert "".join(best) == expected["choices"][0]["text"], (best, expected)
    # Tokens that are parts of characters have one text.
    assert 5 <= browser.run("document.querySelectorAll('#distribution .bars li').length") <= 10
    assert browser.run("document.querySelectorAll('#distribution .current').length") == 1
    browser.run("document.querySelector('#generated .piece').click()")
    title = browser.run("document.querySelector('#distribution-title').textContent")
    assert title.startswith("Distribution of token 1:"), title
    shares = browser.run("[...document.querySelectorAll('#distribution .value')].map(value => parseFloat(value.textContent))")
    assert shares == sorted(shares, reverse=True) and 0 < shares[0] <= 100, shares
    if PICTURES:
        browser.screenshot(os.path.join(PICTURES, "playground.png"))

    set_value(browser, "temperature", 1.5)
    drawn = generate(browser)
    assert generate(browser) == drawn  # the same seed
    set_value(browser, "seed", 7)
    assert generate(browser) != drawn
    set_value(browser, "temperature", 0)
    set_value(browser, "stop", best[2].strip() or best[2])
    assert len(generate(browser)) <= len(best)
    set_value(browser, "stop", "")
    assert generate(browser, "#peek") == best[:1]

    browser.click("#look")
    browser.wait("document.querySelector('#prompt-attention').hidden === false")
    assert browser.run("document.querySelectorAll('#prompt-heads canvas').length") > 0
    if PICTURES:
        browser.screenshot(os.path.join(PICTURES, "playground-attention.png"), whole=True)

    set_value(browser, "max-tokens", 100000)  # more than the context: the server's sentence is shown
    browser.click("#generate")
    browser.wait("document.querySelector('#notice').hidden === false")
    assert "context" in browser.run("document.querySelector('#notice').textContent")
    set_value(browser, "max-tokens", 12)
    generate(browser)
    browser.wait("document.querySelector('#notice').hidden")
    assert all("400" in error for error in browser.errors), browser.errors
    for language in ("de", "zh-Hans", "zh-Hant", "en"):
        browser.choose("#language", language)
        browser.wait(f"document.documentElement.lang === '{language}'")
        left = browser.run(r"(document.body.innerText.match(/\b(nav|generate)\.[a-z_.]+/g) ?? []).join()")
        assert not left, (language, left)
    browser.size(360, 740, touch=True, scale=2)
    browser.wait("innerWidth === 360")
    wrong = browser.run(LAYOUT)
    assert not wrong, wrong
    if PICTURES:
        browser.screenshot(os.path.join(PICTURES, "playground-phone.png"))


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: there is no Chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        model = language_folder(os.path.join(folder, "toy"))
        with ServerProcess("--model", model, "--page-dir", SOURCES) as running, Browser() as opened:
            main(opened, running)
