#!/usr/bin/env python3
"""The page of the training dashboard in a real browser. The runs behind it are made up here, so that a run can grow
while the page watches. Skipped where there is no Chromium. YONA_SCREENSHOTS=DIR keeps pictures."""
import http.server
import json
import math
import os
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.dirname(__file__))
import contrast  # noqa: E402
from browser import BROWSER, Browser  # noqa: E402

PAGE = os.path.join(os.environ["YONA_SOURCE_DIR"], "yona", "serve", "page")
INSPECT = os.path.join(os.environ["YONA_SOURCE_DIR"], "yona", "inspect")
PICTURES = os.environ.get("YONA_SCREENSHOTS")
TYPES = {"html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript", "json": "application/json", "svg": "image/svg+xml"}


def update(number, offset=0.0):
    loss = 2 + 6 * math.exp(-number / 300) + offset
    return {"event": "update", "update": number, "updates": 1000, "loss": loss, "nll": loss, "learning_rate": 0.001 * min(1, number / 200),
            "tokens_per_second": 12000 + number, "gradient_norm": 0.5, "memory_bytes": 3e8, "seconds_left": (1000 - number) / 2}


TALL = [[1 / 3] * 3] * 60  # a model that repeats itself: sixty pieces from three


def events(updates, offset=0.0):
    made = [{"event": "started", "model": "tiny", "updates": 1000}]
    for number in range(50, updates + 1, 50):
        made.append(update(number, offset))
        if number % 200 == 0:
            made.append({"event": "valid", "set": "valid", "update": number, "loss": 2.5 + offset, "bleu": number / 40})
            made.append({"event": "valid", "set": "other", "update": number, "loss": 99})
            made.append({"event": "samples", "update": number, "samples": [
                {"source": "Two dogs.", "reference": "Zwei Hunde.", "translation": f"Zwei Hunde nach {number} <b>", "attention": [[1, 0, 0], [0.2, 0.8, 0]]},
                {"source": "A long one.", "reference": "Ein langer.", "translation": ("von der " if offset else "und die ") * 200, "attention": TALL}]})
    return made


RUNS = {"now": events(400), "before <i>": events(1000, 0.4)}
RUNNING = ["now"]
ENDED = threading.Event()


def runs_json():
    return json.dumps({"runs": [{"name": name, "current": name in RUNNING, "bytes": len(run)} for name, run in RUNS.items()]})


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", "default-src 'self'")
        self.end_headers()
        self.wfile.write(body)

    def watch(self):
        self.answer("text/event-stream", b"")
        told = ""
        while not ENDED.wait(0.05):
            now = runs_json()
            if now != told:
                try:
                    self.wfile.write(f"event: runs\ndata: {now}\n\n".encode())
                except OSError:  # the page has gone
                    return
                told = now

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        parts = [urllib.parse.unquote(part) for part in url.path.split("/")]
        if url.path == "/v1/watch":
            self.watch()
        elif len(parts) == 5 and parts[2] == "runs":
            begin = int(urllib.parse.parse_qs(url.query)["from"][0])
            run = RUNS[parts[3]]
            end = min(len(run), begin + 20)  # a few at a time
            self.answer("application/json", json.dumps({"events": run[begin:end], "next": end, "more": end < len(run)}).encode())
        else:
            name = parts[-1] or "dashboard.html"
            with open(os.path.join(INSPECT if name.startswith("attention_view") else PAGE, name), "rb") as file:
                self.answer(TYPES[name.rsplit(".", 1)[1]], file.read())


def picture(browser, name, place=None):
    if PICTURES:
        if place:
            browser.place(place)
        browser.screenshot(os.path.join(PICTURES, name + ".png"))


# Marks of axes for one point, for values that are all alike, and for such that differ little.
AXES = """import("/page/chart.js").then(({ chart, range, ticks }) => {
  const marks = (points, options) => { const made = chart("x", [{ name: "a", style: "run-0", points }], options);
    const texts = kind => [...made.querySelectorAll(".tick-" + kind)].map(mark => mark.textContent).join(" ");
    return texts("x") + " | " + texts("y"); };
  return {
    one: marks([[50, 2.5]]),
    one_from_zero: marks([[50, 3e8]], { zero: true }),
    alike: marks([[50, 10], [100, 10], [150, 10]]),
    all_zero: marks([[50, 0], [100, 0]], { zero: true }),
    two_updates: marks([[1, 5], [2, 6]]),
    close: ticks(range([12400, 12450]), 4).map(mark => mark.text).join(" "),
    small: ticks(range([0, 0.0005], true), 4).map(mark => mark.text).join(" "),
    negative: ticks(range([-2, -2]), 4).map(mark => mark.text).join(" "),
    middle: (({ low, high }) => (low + high) / 2)(range([50])),
  };
})"""


def check_axes(browser):
    seen = browser.run(AXES)
    assert seen == {
        "one": "50 | 2.3 2.4 2.5 2.6 2.7", "one_from_zero": "50 | 0 100M 200M 300M", "alike": "60 80 100 120 140 | 9 9.5 10 10.5 11",
        "all_zero": "50 60 70 80 90 100 | 0 0.2 0.4 0.6 0.8 1", "two_updates": "1 2 | 5 5.2 5.4 5.6 5.8 6", "close": "12.4K 12.42K 12.44K", "small": "0 0.0002 0.0004",
        "negative": "-2.2 -2.1 -2 -1.9 -1.8", "middle": 50}, seen


def check_samples(browser):
    """Each run's samples under its name, in cards of a few lines."""
    names = browser.run("[...document.querySelectorAll('#sample-run option')].map(option => option.textContent)")
    assert names == ["now", "before <i>"], names
    assert "und die" in browser.run("document.querySelector('#samples').textContent")
    heights = browser.run("[...document.querySelectorAll('.sample')].map(card => card.getBoundingClientRect().height)")
    assert len(heights) == 2 and max(heights) < 190, heights
    picture(browser, "dashboard-samples", "#samples-box")
    browser.choose("#sample-run", "before <i>")
    assert "von der" in browser.run("document.querySelector('#samples').textContent")
    assert browser.run("document.querySelector('#sample-value').textContent") == "1,000"
    # A run that is no longer in the charts gives way to one that is.
    browser.run("document.querySelectorAll('#runs input')[1].click()")
    browser.wait("document.querySelector('#sample-run').value === 'now'")
    browser.run("document.querySelectorAll('#runs input')[1].click()")
    browser.choose("#sample-run", "now")


def check_page(browser):
    browser.wait("document.querySelectorAll('.chart').length === 6")  # loss, BLEU, rate, speed, memory, gradient
    said = browser.run("document.querySelector('#now').textContent")
    assert said == "Update 400 of 1,000 · 12.4K tokens/s · 5 min left", said
    assert browser.run("document.querySelector('#progress').value") == 400
    assert browser.run("document.querySelectorAll('.chart')[0].querySelectorAll('.line').length") == 2  # training and validation
    assert "99" not in browser.run("document.querySelector('.chart .reading').textContent")  # another validation set's
    # The run goes on, and so does the page.
    RUNS["now"] += [update(450), update(500)]
    browser.wait("document.querySelector('#now').textContent.includes('Update 500')")
    # Another run beside it; its name is text and nothing else.
    browser.run("document.querySelectorAll('#runs input')[1].click()")
    browser.wait("document.querySelectorAll('.chart')[0].querySelectorAll('.line').length === 4")
    assert browser.run("document.querySelectorAll('#runs i, #samples b').length") == 0
    picture(browser, "dashboard")
    browser.hover(".chart svg")
    assert browser.run("document.querySelector('.chart .reading').textContent").startswith(("400", "450", "500", "550")), \
        browser.run("document.querySelector('.chart .reading').textContent")
    assert browser.run("(map => map.width + ' ' + map.height)(document.querySelector('.sample-map'))") == "3 2"
    check_samples(browser)
    # Samples as they were before.
    assert "nach 400" in browser.run("document.querySelector('#samples').textContent")
    browser.run("(slider => { slider.value = 0; slider.dispatchEvent(new Event('input')); })(document.querySelector('#sample-update'))")
    assert "nach 200" in browser.run("document.querySelector('#samples').textContent")


def check_names(browser):
    """What a screen reader would say of each control."""
    nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    controls = [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes
                if node["role"]["value"] in ("button", "link", "combobox", "slider", "checkbox", "progressbar", "img")]
    assert ("combobox", "Run") in controls and ("slider", "At update") in controls, controls
    assert all(name for _, name in controls), controls


def check_narrow_dark_and_german(browser):
    browser.size(360, 740, touch=True, scale=2)
    browser.media(prefers_color_scheme="dark")
    browser.choose("#language", "de")
    browser.wait("document.querySelector('h1').textContent === 'Training' && document.querySelector('#now').textContent.includes('Schritt')")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    contrast.check(browser, "dark")
    picture(browser, "dashboard-phone")
    picture(browser, "dashboard-phone-samples", "#samples")
    browser.size(1280, 900)


def main():
    if BROWSER is None:
        print("no Chromium here")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Browser() as browser:
        browser.media(prefers_color_scheme="light")
        browser.call("Emulation.setLocaleOverride", locale="en-GB")
        browser.open(f"http://127.0.0.1:{server.server_port}/")
        check_axes(browser)
        check_page(browser)
        contrast.check(browser, "light")
        check_names(browser)
        check_narrow_dark_and_german(browser)
        RUNNING.clear()  # `yona runs --serve`: all of them are past
        browser.call("Page.reload")
        browser.wait("document.querySelectorAll('#runs input:checked').length === 2 && document.querySelectorAll('.chart').length === 6")
        browser.check_errors()
        ENDED.set()
        server.shutdown()
        server.server_close()
        browser.wait("!document.querySelector('#notice').hidden")


main()
