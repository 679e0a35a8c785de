"""Contrast as WCAG 2.2 defines it, of every text that a page shows against what lies behind it: 4.5, or 3 for large text;
and of lines that carry meaning, 3. Colours are those that the browser computed, half-transparent ones laid over each other."""

SCRIPT = r"""(() => {
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return { c: [r, g, b], a }; };
  const over = ({ c, a }, below) => c.map((value, at) => value * a + below[at] * (1 - a));
  const channel = value => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const chain = element => { const found = []; for (let at = element; at; at = at.parentElement) found.unshift(at); return found; };
  // What lies behind an element: the backgrounds of those around it, and in an SVG the rectangle of its group.
  const behind = element => {
    let colour = [255, 255, 255];
    for (const at of chain(element)) {
      if (at instanceof SVGElement && at.tagName !== "svg") continue;
      const back = getComputedStyle(at).backgroundColor;
      if (/^rgb/.test(back)) colour = over(parse(back), colour);
    }
    const rect = element instanceof SVGElement && element.parentElement.querySelector(":scope > rect");
    if (rect && getComputedStyle(rect).fill !== "none") colour = over(parse(getComputedStyle(rect).fill), colour);
    return colour;
  };
  const opacity = element => chain(element).reduce((product, at) => product * Number(getComputedStyle(at).opacity), 1);
  const wrong = [], seen = new Set();
  const judge = (element, colour, least, name) => {
    const ground = behind(element), { c, a } = parse(colour);
    if (a === 0) return;
    const found = ratio(over({ c, a: a * opacity(element) }, ground), ground);
    const key = `${name} ${colour} ${ground.map(Math.round)}`;
    if (found < least && !seen.has(key)) wrong.push(`${name}: ${found.toFixed(2)}, ${colour} on rgb(${ground.map(Math.round)})`);
    seen.add(key);
  };
  let count = 0;
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(":disabled, option, .hidden, .hidden *, .skip, script, noscript, #backdrop *")) continue;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (!box.width || !box.height) continue;
    const own = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join("") || element.matches("select, textarea, input[type=text]");
    const name = `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}#${element.id} “${(element.textContent ?? "").trim().slice(0, 24)}”`;
    if (own) {
      ++count;
      const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      judge(element, element instanceof SVGElement ? style.fill : style.color, large ? 3 : 4.5, name);
      if (element.matches("textarea[placeholder]")) {
        const { color, opacity: faint } = getComputedStyle(element, "::placeholder"), { c, a } = parse(color);
        judge(element, `rgba(${c}, ${a * Number(faint)})`, 4.5, name + " placeholder");
      }
    }
    if (element.matches(".chart .line")) judge(element, style.stroke, 3, name);
    if (element.matches(".swatch")) judge(element.parentElement, style.backgroundColor, 3, name);
  }
  return { count, wrong };
})()"""


def check(browser, where):
    """Ends the test where a text of the page is hard to read."""
    found = browser.run(SCRIPT)
    assert found["count"] > 5, (where, found)
    assert not found["wrong"], (where, "\n".join(found["wrong"]))
