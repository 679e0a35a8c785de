#!/usr/bin/env python3
"""The page of `yona serve` in a real browser, with a real server behind it: text is typed, words are pointed at, heads,
languages and colours are switched, on a wide and a narrow screen. Skipped where there is no Chromium. With
YONA_SCREENSHOTS=DIR pictures are left there, to be looked at."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "..")]
import contrast  # noqa: E402
from browser import BROWSER, Browser  # noqa: E402
from server_process import ServerProcess  # noqa: E402

TEXT = "a quarter past seven\ntwenty-one euros"
VIEWS = ("translate", "attention", "search", "documents", "explained")
LANGUAGES = ("en", "de", "zh-Hans", "zh-Hant")
PICTURES = os.environ.get("YONA_SCREENSHOTS")


def models(folder):
    """A model trained for a moment, and the same for the other direction."""
    output = os.path.join(folder, "demo")
    subprocess.run([os.environ["YONA_PROGRAM"], "-q", "demo", "--output", output, "--updates", "150"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    model, turned = os.path.join(output, "model"), os.path.join(folder, "turned")
    shutil.copytree(model, turned, ignore=shutil.ignore_patterns("checkpoints", "cache"))
    with open(os.path.join(turned, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    languages = config["yona"]["model"]
    languages["source_language"], languages["target_language"] = languages["target_language"], languages["source_language"]
    with open(os.path.join(turned, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    return model, turned


def picture(browser, name):
    if PICTURES:
        browser.screenshot(os.path.join(PICTURES, name + ".png"))


def count(browser, selector):
    return browser.run(f"document.querySelectorAll({selector!r}).length")


def text(browser, selector):
    return browser.run(f"document.querySelector({selector!r}).textContent")


def show(browser, view):
    browser.run(f"location.hash = '#{view}'")
    browser.wait(f"document.querySelector('[data-view={view}]').hidden === false")


def write(browser, words):
    browser.run("document.querySelector('#clear').click()")
    browser.click("#source")
    browser.type(words)
    browser.wait("!document.querySelector('#copy').hidden", 60)


# What text.js gives for texts that are empty, odd, or without blanks.
TEXTS = """import("/page/text.js").then(({ isEven, label, sentencesOf, textOfPieces, wordAttention, wordsOf, wordsOfPieces }) => {
  const sentences = text => sentencesOf(text, "en").map(sentence => sentence.text);
  const words = text => wordsOf(text, "zh").map(word => word.text);
  const places = (pieces, text) => wordsOfPieces(pieces, text, wordsOf(text, "en"));
  const twice = sentencesOf("  One. Two!\\n\\n Three", "en").map(({ text, start, end }) => "  One. Two!\\n\\n Three".slice(start, end) === text);
  return {
    empty: sentences("").length + sentences(" \\n ").length + words("").length,
    sentences: sentences("  One. Two!\\n\\n Three").join("|"),
    places: twice.join(),
    chinese: words("我喜欢猫。").length > 2,
    pieces: places(["▁Two", "▁do", "gs", ".", "</s>"], "Two dogs.").join(),
    bytes: places(["▁a", "<0xE2>", "<0x82>", "<0xAC>", "▁b", "</s>"], "a € b").join(),
    unknown: places(["▁x", "<unk>", "</s>"], "x ☃").join(),
    labels: ["▁the", "▁", "<pad>", "<0x41>", "<0xE4>"].map(label).join("|"),
    spelt: [["<0x56>", "ier", "tel", "▁nach"], ["▁3", "<0xE2>", "<0x82>", "<0xAC>"], []].map(textOfPieces).join("|"),
    even: [[0.06, 0.06, 0.05, 0.06], [0.6, 0.4], [0.7, 0.3], [0.25, ...Array(15).fill(0.05)], [1], [], [0, 0]].map(isEven).join(),
    attention: JSON.stringify(wordAttention([[0.5, 0.5, 0], [0.2, 0.2, 0.6]], [0, 0], [0, 0, -1], 1, 1).map(row => [...row])),
  };
})"""


def test_cuts_texts(browser):
    seen = browser.run(TEXTS)
    assert seen == {
        "empty": 0, "sentences": "One.|Two!|Three", "places": "true,true,true", "chinese": True, "pieces": "0,1,1,2,-1", "bytes": "0,1,1,1,2,-1",
        "unknown": "0,1,-1", "spelt": "Viertel nach|3€|", "even": "true,true,false,false,false,false,false", "labels": "the|▁|<start>|A|<0xE4>", "attention": "[[0.7]]"}, seen


def test_translates_while_typing(browser):
    browser.wait("document.querySelectorAll('#examples button').length > 0")
    assert text(browser, "#examples button") == "a quarter past seven", "the demo's model knows nothing of dogs"
    picture(browser, "start")
    write(browser, TEXT)
    assert count(browser, "#output .sentence") == 2
    assert text(browser, "#output").strip(), "no translation"
    assert "ms" in text(browser, "#timing"), text(browser, "#timing")
    assert count(browser, "#backdrop .word") >= 6
    assert count(browser, "#n-best-list button[aria-pressed=true]") == 1
    # Another of the n best takes the place of the sentence.
    browser.click("#n-best-list li:nth-child(2) button")
    browser.wait("document.querySelector('#n-best-list li:nth-child(2) [aria-pressed=true]')")
    chosen = text(browser, "#n-best-list li:nth-child(2) [lang]")
    assert chosen.strip() in text(browser, "#output"), chosen
    browser.click("#n-best-list li:nth-child(1) button")


def test_words_light_up_on_both_sides(browser):
    browser.hover("#output .word")
    browser.wait("document.querySelectorAll('#backdrop .lit').length > 0")
    assert " looked at “" in text(browser, "#looking"), text(browser, "#looking")
    assert count(browser, "#output .from") == 1
    picture(browser, "hover")
    browser.hover("#backdrop .word[data-sentence='0'][data-word='1']")
    browser.wait("document.querySelector('#looking').textContent.startsWith('“quarter” was looked at by')")
    assert text(browser, "#backdrop .from") == "quarter"
    # The same from the keyboard: Tab goes to the translation, arrows from word to word.
    browser.run("document.querySelector('#output .word').focus()")
    browser.key("ArrowRight")
    browser.wait("document.activeElement === document.querySelectorAll('#output .word')[1]")
    browser.wait("document.activeElement.classList.contains('from')")


# Until `window.fetch = window.realFetch`, cross attention comes evenly spread.
EVEN = """window.realFetch = window.fetch; window.fetch = async (path, options) => {
  const answer = await window.realFetch(path, options);
  if (!String(options?.body).includes('"attention":true')) return answer;
  const json = await answer.json();
  for (const layer of json.translations[0].attention.cross) for (const head of layer) for (const row of head) row.fill(1 / row.length);
  return new Response(JSON.stringify(json), { status: 200 });
}"""


def test_says_when_attention_is_even(browser):
    browser.run("{" + EVEN + "}")
    write(browser, "nine hundred and ninety-nine thousand")
    browser.hover("#output .word")
    browser.wait("document.querySelector('#looking').textContent.includes('about evenly')")
    assert "%" not in text(browser, "#looking"), text(browser, "#looking")
    browser.hover("#backdrop .word[data-word='1']")
    browser.wait("document.querySelector('#looking').textContent.includes('spread evenly')")
    browser.run("{ window.fetch = window.realFetch; }")
    write(browser, TEXT)


def test_notices_another_language(browser):
    hint = "document.querySelector('#wrong-language')"
    assert browser.run(hint + ".hidden"), "a hint for the model's own language"
    write(browser, "Zwei kleine Hunde spielen heute im Schnee.")
    browser.wait(f"!{hint}.hidden")
    assert text(browser, "#wrong-language").startswith("This looks like German; this model translates from English."), text(browser, "#wrong-language")
    picture(browser, "wrong-language")
    browser.click("#wrong-language button")
    browser.wait(f"document.querySelector('#source-name').textContent === 'German' && {hint}.hidden")
    write(browser, "这两只小狗今天在雪地里玩耍。")
    browser.wait(f"!{hint}.hidden && {hint}.textContent.includes('Chinese')")
    assert count(browser, "#wrong-language button") == 0  # no model for it is served
    for short in ("zwei", "der zwölfte November", "elf Minuten vor neun"):  # too short to tell: taken for English and Dutch
        write(browser, short)
        browser.wait(f"{hint}.hidden")
    browser.choose("#model", browser.run("document.querySelector('#model option').value"))
    browser.wait("document.querySelector('#source-name').textContent === 'English'")
    write(browser, TEXT)
    assert browser.run(hint + ".hidden")


def test_attention_of_every_head(browser):
    show(browser, "attention")
    browser.wait("document.querySelectorAll('[data-name=grid] button').length === 12", 60)  # 3 layers of 4 heads
    browser.wait("Number(document.querySelector('[data-name=canvas]').dataset.lines) > 0")
    browser.hover(".queries li:nth-child(2) .token")
    browser.wait("document.querySelector('[data-name=said]').textContent.includes('looks at')")
    picture(browser, "attention")
    browser.click("[data-name=grid] [data-layer='1'][data-head='2']")
    assert browser.run("document.querySelector('[data-name=layers] [aria-pressed=true]').value") == "1"
    assert browser.run("[...document.querySelectorAll('[data-name=heads] [aria-pressed=true]')].map(button => button.value).join()") == "2"
    browser.key("1")
    assert count(browser, "[data-name=heads] .head[aria-pressed=true]") == 2
    browser.click("[data-name=shapes] [value=matrix]")
    assert browser.run("document.querySelector('[data-name=canvas]').width") == count(browser, ".columns .token")
    browser.click("[data-name=parts] [value=encoder]")
    assert count(browser, ".columns .token") == count(browser, ".rows .token") > 3
    picture(browser, "matrix")


def test_search_draws_the_beam(browser):
    show(browser, "search")
    browser.wait("document.querySelectorAll('.node.best').length > 1", 60)
    assert count(browser, ".node.dropped") > 0
    browser.run("document.querySelector('.node.best').focus()")
    assert "log probability" in text(browser, "#tree-said"), text(browser, "#tree-said")
    picture(browser, "search")
    browser.run("(beam => { beam.value = 1; beam.dispatchEvent(new Event('input')); })(document.querySelector('#beam'))")
    browser.wait("document.querySelectorAll('.node.kept').length === 0 && document.querySelectorAll('.node.best').length > 1")


def test_documents_keep_their_paragraphs(browser, folder):
    show(browser, "documents")
    path = os.path.join(folder, "story.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("a quarter past seven! ten past two.\n\nforty-two\n" + "\n".join(["seven euros"] * 20) + "\n")
    document = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[path])
    browser.wait("document.querySelector('#progress').value === 23 && document.querySelector('#stop').hidden", 60)
    assert count(browser, "#pages p") == 2 * 22
    assert browser.run("[...document.querySelectorAll('#pages p:nth-child(even)')].every(p => p.textContent.trim() && p.textContent !== '…')")
    # What is saved has as many lines as the file.
    browser.run("window.saved = null; URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return '#documents'; }")
    browser.click("#save")
    browser.wait("window.saved !== null")
    assert browser.run("window.saved").count("\n") == 23, browser.run("window.saved")
    picture(browser, "documents")


def test_explains_every_step(browser):
    show(browser, "explained")
    browser.wait("document.querySelectorAll('.token-ids li').length > 3", 60)
    titles = []
    for step in range(13):
        titles.append(text(browser, ".walk h2"))
        assert text(browser, ".step-number") == f"Step {step + 1} of 13"
        assert count(browser, ".equations math") >= 1, titles[-1]
        assert count(browser, ".picture > *") >= 1, titles[-1]
        assert "{" not in text(browser, ".walk article"), titles[-1]
        picture(browser, f"explained-{step + 1:02}")
        before = text(browser, ".step-number")
        browser.key("ArrowRight")
        if step < 12:
            browser.wait(f"document.querySelector('.step-number').textContent !== {before!r}")
    assert len(set(titles)) == 13, titles
    # The mask is the decoder's; shares of the softmax sum to one.
    browser.run("document.querySelectorAll('.dot')[6].click()")
    shares = browser.run("[...document.querySelectorAll('.bars .value')].map(value => parseFloat(value.textContent))")
    assert abs(sum(shares) - 100) < 0.06 * len(shares) + 1, shares
    # Writing a token brings the next distribution.
    browser.run("document.querySelectorAll('.dot')[12].click()")
    written = text(browser, ".written b")
    browser.click(".bars button.label")
    browser.wait(f"document.querySelector('.written b').textContent !== {written!r}")
    browser.key("ArrowLeft")
    browser.wait("document.querySelector('.step-number').textContent === 'Step 12 of 13'")


def test_turns_the_direction_round(browser):
    show(browser, "translate")
    assert text(browser, "#source-name") == "English" and text(browser, "#target-name") == "German"
    assert count(browser, "#model option") == 2
    before = text(browser, "#output")
    browser.click("#swap")
    browser.wait("document.querySelector('#source-name').textContent === 'German'")
    assert browser.run("document.querySelector('#source').value") == before
    browser.choose("#model", browser.run("document.querySelector('#model option').value"))
    browser.wait("document.querySelector('#source-name').textContent === 'English'")
    write(browser, TEXT)


def test_speaks_four_languages(browser):
    show(browser, "translate")
    seen = set()
    for language in LANGUAGES:
        browser.choose("#language", language)
        browser.wait(f"document.documentElement.lang === '{language}'")
        seen.add(text(browser, "nav [aria-current]"))
        for view in VIEWS:
            show(browser, view)
            left = browser.run(r"(document.body.innerText.match(/\b(nav|translate|attention|search|documents|explained|error)\.[a-z_.]+/g) ?? []).join()")
            assert not left, (language, view, left)
    assert len(seen) == 4, seen
    browser.choose("#language", "en")
    browser.wait("document.documentElement.lang === 'en'")


def test_has_a_name_for_everything(browser):
    """What a screen reader would say: every control has a name, every view a heading."""
    for view in VIEWS:
        show(browser, view)
        nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        roles = [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes]
        controls = [(role, name) for role, name in roles if role in ("button", "link", "textbox", "combobox", "slider", "checkbox", "progressbar", "img")]
        assert len(controls) > 8, (view, controls)
        assert all(name for _, name in controls), (view, controls)
        assert any(role == "heading" for role, _ in roles), view
        assert any(role == "main" for role, _ in roles), view


def test_shows_where_the_focus_is(browser):
    """From the keyboard: every stop of the Tab key has an outline, or a frame that changes (the text's panel, a node of the tree)."""
    for view in VIEWS:
        show(browser, view)
        browser.run("document.querySelector('.skip').focus()")
        stops = []
        for _ in range(40):
            browser.key("Tab")
            stop = browser.run("""(element => { const style = getComputedStyle(element), box = element.getBoundingClientRect();
                const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 || element.matches("#source, .node, .skip, #file");
                return element === document.body ? null : [element.outerHTML.slice(0, 80), shown, box.width > 0]; })(document.activeElement)""")
            if stop is None:
                break  # the end of the page
            stops.append(stop)
        assert len(stops) > 8, (view, stops)
        assert all(shown for _, shown, _ in stops), (view, [stop for stop in stops if not stop[1]])


def test_keeps_still_where_that_is_wanted(browser):
    browser.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")
    moving = browser.run("""[...document.querySelectorAll("*")].filter(element => { const style = getComputedStyle(element);
        return style.animationName !== "none" || style.transitionDuration.split(",").some(time => parseFloat(time) > 0); }).map(element => element.outerHTML.slice(0, 60)).join()""")
    assert not moving, moving
    browser.media(prefers_color_scheme="light")


# Elements that are wider than the screen though nothing scrolls them, and controls too small for a finger.
LAYOUT = """(() => {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways: " + document.documentElement.scrollWidth);
  for (const element of document.querySelectorAll("button, select, a, input, .word")) {
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height || element.closest(".hidden, [hidden], .skip, svg") || element.matches("p a, .word")) continue;
    if (box.height < 24 || box.width < 24) wrong.push(`${element.outerHTML.slice(0, 80)}: ${box.width} × ${box.height}`);
  }
  return wrong.join("\\n");
})()"""


def tab_in_sight(browser):
    return browser.run("(box => box.left >= 0 && box.right <= innerWidth)(document.querySelector('nav [aria-current]').getBoundingClientRect())")


def test_fits_a_phone(browser):
    show(browser, "explained")
    browser.size(360, 740, touch=True, scale=2)
    browser.wait("innerWidth === 360")
    browser.run("new Promise(requestAnimationFrame)")
    assert tab_in_sight(browser), "the active tab is off the screen"
    for language in LANGUAGES:
        browser.choose("#language", language)
        browser.wait(f"document.documentElement.lang === '{language}'")
        for view in VIEWS:
            show(browser, view)
            wrong = browser.run(LAYOUT)
            assert not wrong, (language, view, wrong)
            assert tab_in_sight(browser), (language, view)
            if language in ("en", "zh-Hant"):
                picture(browser, f"phone-{language}-{view}")
    browser.choose("#language", "en")
    browser.wait("document.documentElement.lang === 'en'")
    show(browser, "translate")
    browser.tap("#output .word")
    browser.wait("document.querySelectorAll('#backdrop .lit').length > 0")
    browser.size(1280, 900)


def check_contrast(browser, colours):
    """In every view, with what is there when someone uses it: a word is lit, all heads are chosen, each step is looked at."""
    show(browser, "translate")
    browser.hover("#output .word")
    browser.wait("document.querySelectorAll('#output .from').length === 1")
    contrast.check(browser, colours + ", translate")
    show(browser, "attention")
    browser.run("document.querySelector('[data-name=heads] [value=all]').click()")
    for shape in ("lines", "matrix"):
        browser.run(f"document.querySelector('[data-name=shapes] [value={shape}]').click()")
        for place in (0, 1, 2):
            browser.run(f"document.querySelectorAll('.token[data-side=query]')[{place}].focus()")
            contrast.check(browser, f"{colours}, attention as {shape}")
    show(browser, "search")
    browser.wait("document.querySelectorAll('.node.best').length > 1", 60)
    contrast.check(browser, colours + ", search")
    show(browser, "documents")
    contrast.check(browser, colours + ", documents")
    show(browser, "explained")
    browser.wait("document.querySelectorAll('.dot').length === 13 && !document.querySelector('#explained').hidden", 60)
    for step in range(13):
        browser.run(f"document.querySelectorAll('.dot')[{step}].click()")
        contrast.check(browser, f"{colours}, explained {step + 1}")


def test_light_and_dark(browser):
    paper = "getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()"
    light = browser.run(paper)
    check_contrast(browser, "light")
    browser.media(prefers_color_scheme="dark")
    dark = browser.run(paper)
    assert dark != light
    check_contrast(browser, "dark")
    for view in ("translate", "attention", "explained"):
        show(browser, view)
        picture(browser, "dark-" + view)
    browser.click("#theme")  # light, whatever the system says
    assert browser.run(paper) == light
    browser.click("#theme")
    browser.media(prefers_color_scheme="light")
    assert browser.run(paper) == dark
    browser.click("#theme")
    assert browser.run(paper) == light


def test_says_what_goes_wrong(browser, server):
    browser.check_errors()
    show(browser, "translate")
    # A busy server is asked again once the time it names has passed.
    browser.run("""{ const real = window.fetch; let refusals = 1; window.fetch = (...args) => String(args[0]).startsWith("/v1/translate") && refusals-- > 0
        ? Promise.resolve(new Response('{"error":"busy"}', { status: 429, headers: { "Retry-After": "2" } })) : real(...args); }""")
    browser.run("document.querySelector('#clear').click()")
    browser.click("#source")
    browser.type("seven")
    browser.wait("/in [12] s/.test(document.querySelector('#notice').textContent)")
    picture(browser, "busy")
    browser.wait("!document.querySelector('#copy').hidden && document.querySelector('#notice').hidden")
    # A server that asks for a key gets the one that is written down.
    browser.run("""{ const real = window.fetch; window.keys = []; window.fetch = (path, options) => { const key = options?.headers?.["X-Api-Key"]; window.keys.push(key);
        return String(path).startsWith("/v1/translate") && key !== "secret" ? Promise.resolve(new Response('{"error":"no key"}', { status: 403 })) : real(path, options); } }""")
    browser.type("teen")
    browser.wait("document.querySelector('#notice input')")
    browser.run("document.querySelector('#notice input').focus()")
    browser.type("secret")
    browser.key("Enter")
    browser.wait("!document.querySelector('#copy').hidden && document.querySelector('#notice').hidden && window.keys.includes('secret')")
    browser.click("#source")
    server.end()
    browser.type(" euros")
    browser.wait("document.querySelector('#notice').textContent.includes('does not answer')")
    assert count(browser, "#notice button") == 1
    picture(browser, "gone")
    # What was drawn for another sentence does not stay under this one.
    for view, drawn in (("search", ".node"), ("attention", "#attention .token"), ("explained", ".picture > *")):
        show(browser, view)
        browser.wait(f"[...document.querySelectorAll({drawn!r})].every(element => !element.checkVisibility())", 10)
    picture(browser, "gone-explained")


def main():
    if BROWSER is None:
        print("no Chromium here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder, ServerProcess("--model", *models(folder)) as server, Browser() as browser:
        browser.media(prefers_color_scheme="light")
        browser.call("Emulation.setLocaleOverride", locale="en-GB")
        browser.open(server.url + "/")
        for test in (test_cuts_texts, test_translates_while_typing, test_words_light_up_on_both_sides, test_says_when_attention_is_even,
                     test_notices_another_language, test_attention_of_every_head, test_search_draws_the_beam):
            test(browser)
        test_documents_keep_their_paragraphs(browser, folder)
        for test in (test_explains_every_step, test_turns_the_direction_round, test_speaks_four_languages, test_has_a_name_for_everything,
                     test_shows_where_the_focus_is, test_keeps_still_where_that_is_wanted, test_fits_a_phone,
                     test_light_and_dark):
            test(browser)
        test_says_what_goes_wrong(browser, server)


main()
