#!/usr/bin/env python3
"""The playground of `yona serve` with a language model, in a real browser: an answer streams in, settings count, tokens
show their distribution, and the model is explained with its numbers. Skipped where there is no Chromium. With YONA_SCREENSHOTS=DIR pictures are left there."""
import os
import sys
import tempfile

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..")]
import contrast  # noqa: E402
from browser import BROWSER, Browser  # noqa: E402
from language_folder import language_folder, llama_folder  # noqa: E402
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
    browser.wait("document.querySelector('#generate').hidden === false && document.querySelector('#distribution').hidden === false")
    return answer(browser)


def picture(browser, name):
    if PICTURES:
        browser.run("document.querySelector('#prompt-explained').scrollIntoView({ behavior: 'instant' })")
        browser.screenshot(os.path.join(PICTURES, name + ".png"))


def go(browser, step):
    browser.run(f"document.querySelectorAll('#prompt-walk .dot')[{step}].click()")
    browser.wait(f"document.querySelectorAll('#prompt-walk .dot')[{step}].hasAttribute('aria-current')")


def bars_shown(browser):
    """(label, number) of each bar of the step that is shown."""
    return browser.run("""[...document.querySelectorAll('#prompt-walk .bars li')].map(bar => [bar.querySelector('.label').textContent,
        parseFloat(bar.querySelector('.value').textContent.replace('−', '-'))])""")


def explain(browser, model, steps):
    browser.choose("#generator", model)
    browser.click("#explain")
    browser.wait(f"document.querySelector('#prompt-explained').hidden === false && document.querySelectorAll('#prompt-walk .dot').length === {steps}")


def explain_every_step(browser, server, model, steps, prompt):
    explain(browser, model, steps)
    _, expected = server.post("/v1/explain", {"prompt": prompt, "model": model})
    titles = []
    for step in range(steps):
        go(browser, step)
        titles.append(browser.run("document.querySelector('#prompt-walk h2').textContent"))
        assert browser.run("document.querySelectorAll('#prompt-walk .picture > *').length") > 0, titles
        assert browser.run("document.querySelectorAll('#prompt-walk math').length") > 0, titles
        assert browser.run("document.querySelectorAll('#prompt-walk .figure .lit').length") == 1, titles
        left = browser.run(r"(document.querySelector('#prompt-walk').innerText.match(/\{\w+\}|\b(explained|prompt)\.[a-z_.]+|undefined|NaN/g) ?? []).join()")
        assert not left, (titles[-1], left)
        contrast.check(browser, f"{model}, step {step + 1}")
        picture(browser, f"explained-{model}-{step + 1:02}")
    assert len(set(titles)) == steps, titles
    shares = bars_shown(browser)  # of the last step
    best = expected["next"]
    assert len(shares) == len(best), shares
    for (label, share), candidate in zip(shares, best):
        assert abs(share - 100 * candidate["probability"]) < 0.51, (label, share, candidate)
    go(browser, steps - 2)
    for (label, logit), candidate in zip(bars_shown(browser), best):
        assert abs(logit - candidate["logit"]) < 0.051, (label, logit, candidate)
    assert expected["query"] == len(expected["decoder_tokens"]) - 1
    assert browser.run("document.querySelectorAll('#prompt-walk .chips button[aria-pressed=true]').length") == 1


def test_explains(browser, server):
    """The models of both shapes, their steps, and what can be chosen on the way."""
    prompt = browser.run("document.querySelector('#prompt').value + [...document.querySelectorAll('#generated .piece')].map(token => token.textContent).join('')")
    explain_every_step(browser, server, "toy", 16, prompt)
    explain_every_step(browser, server, "rotary", 16, prompt)
    # Another layer, head and token: the same numbers as the server gives.
    go(browser, 7)  # shares of attention
    choices = ((lambda: browser.choose("#prompt-walk .explained-controls label:nth-of-type(1) select", "1"), {"layer": 1}),
               (lambda: browser.choose("#prompt-walk .explained-controls label:nth-of-type(2) select", "2"), {"layer": 1, "head": 2}),
               (lambda: browser.click("#prompt-walk .chips button:nth-of-type(3)"), {"layer": 1, "head": 2, "query": 2}))
    for choose, asked in choices:
        choose()
        _, expected = server.post("/v1/explain", {"prompt": prompt, "model": "rotary", **asked})
        weights = expected["weights"][expected["query"]]
        browser.wait(f"""(shares => [...document.querySelectorAll('#prompt-walk .bars .value')].every(
            (value, key) => Math.abs(parseFloat(value.textContent) - 100 * shares[key]) < 0.51))({weights})""")
        assert abs(sum(weights) - 1) < 1e-4 and not any(weights[expected["query"] + 1:]), weights
    # A token is written after the text, and taken back.
    go(browser, 15)
    before = browser.run("document.querySelector('#prompt-walk .written b').textContent")
    browser.wait("document.querySelector('#prompt-walk .bars button')")
    browser.click("#prompt-walk .bars button")
    browser.wait(f"document.querySelector('#prompt-walk .written b').textContent.length > {len(before)}")
    browser.click("#prompt-walk .written button")
    browser.wait(f"document.querySelector('#prompt-walk .written b').textContent.length === {len(before)}")
    # Arrow keys and the figure lead on.
    browser.run("document.activeElement.blur()")
    browser.key("ArrowLeft")
    browser.wait("document.querySelectorAll('#prompt-walk .dot')[14].hasAttribute('aria-current')")
    browser.run("document.querySelector('#prompt-walk .figure .block').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    browser.wait("document.querySelectorAll('#prompt-walk .dot')[1].hasAttribute('aria-current')")
    # A prompt that cannot be explained: the server's sentence.
    browser.run("document.querySelector('#prompt').value = ''; document.querySelector('#generated').replaceChildren()")
    _, refused = server.post("/v1/explain", {"prompt": "", "model": "toy"})
    assert refused == {"error": '"prompt" is empty; give at least one word'}, refused
    browser.media(prefers_color_scheme="dark")
    for step in (4, 5, 14):
        go(browser, step)
        contrast.check(browser, f"dark, step {step + 1}")
        picture(browser, f"explained-dark-{step + 1:02}")
    browser.media(prefers_color_scheme="light")


def test_breaks_lines(browser):
    """An answer's line feeds are seen: each token after one is on a line further down."""
    browser.run("""window.realFetch = window.fetch; window.fetch = async () => new Response(["a", "b\\n", "\\n", "c"].map(text => "data: " + JSON.stringify(
        { choices: [{ logprobs: { tokens: [text], token_logprobs: [-1], top_logprobs: [{ [text]: -1 }] } }] }) + "\\n\\n").join("") + "data: [DONE]\\n\\n",
        { headers: { "Content-Type": "text/event-stream" } })""")
    try:
        assert generate(browser) == ["a", "b\n", "\n", "c"]
        tops = browser.run("[...document.querySelectorAll('#generated .piece')].map(token => Math.round(token.getBoundingClientRect().top))")
        assert tops[0] == tops[1] < tops[2] < tops[3], tops
        assert browser.run("document.querySelector('#generate-said').textContent").startswith("4 tokens")
    finally:
        browser.run("window.fetch = window.realFetch")


def main(browser, server):
    browser.open(server.url)
    browser.wait("document.querySelector('[data-view=generate]').hidden === false")
    links = browser.run("[...document.querySelectorAll('.top nav a')].filter(link => !link.hidden).map(link => link.hash).join()")
    assert links == "#generate", links  # there is nothing to translate with
    context = next(model["context"] for model in server.get("/v1/models")[1]["data"] if model["id"] == "toy")
    assert browser.run("document.querySelector('#generate-max-tokens').value") == str(min(60, context // 2)), context
    browser.click("#prompt")
    browser.type("Once upon a time")
    for name, value in (("temperature", 0), ("max-tokens", 12)):
        set_value(browser, name, value)
    best = generate(browser)
    _, expected = server.post("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 12, "temperature": 0, "model": "toy"})
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

    test_breaks_lines(browser)
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
    assert browser.run("document.querySelector('#generate-said').textContent") == ""  # the time of one token is not its speed

    browser.click("#look")
    browser.wait("document.querySelector('#prompt-attention').hidden === false")
    assert browser.run("document.querySelectorAll('#prompt-heads canvas').length") > 0
    if PICTURES:
        browser.screenshot(os.path.join(PICTURES, "playground-attention.png"), whole=True)

    test_explains(browser, server)
    browser.run("document.querySelector('#prompt').value = 'Once upon a time'")
    browser.choose("#generator", "toy")
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
        left = browser.run(r"(document.body.innerText.match(/\b(nav|generate|explained|prompt)\.[a-z_.]+/g) ?? []).join()")
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
        other = llama_folder(os.path.join(folder, "rotary"))
        with ServerProcess("--model", model, "--model", other, "--page-dir", SOURCES) as running, Browser() as opened:
            main(opened, running)
