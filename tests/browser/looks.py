"""What a page must not look like, asked of the browser."""

from tests.browser.visitor import Visitor

LEAST_CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3

_FAULTS = """
const found = [];
const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
const named = (element) => element.ariaLabel || element.textContent.trim() || element.labels?.length;

if (document.documentElement.scrollWidth > window.innerWidth) found.push("wider than the screen");
if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
if (!document.documentElement.lang) found.push("no language");
for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
  if (!field.labels.length) found.push(`no label: ${field.name}`);
for (const control of document.querySelectorAll("button, a, summary"))
  if (!named(control)) found.push(`no name: ${control.outerHTML.slice(0, 80)}`);
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
if (new Set(ids).size !== ids.length) found.push("an id that is not unique");

const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = channels(colour).map((v) => linear(v / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (channels(colour)[3] !== 0) return colour;
  }
  return "rgb(255, 255, 255)";
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !visible(element) || element.closest(".spoken, .skip, script")) continue;
  const [low, high] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => a - b);
  const contrast = (high + 0.05) / (low + 0.05);
  const words = texts.currentNode.data.trim().slice(0, 40);
  if (contrast < arguments[0]) found.push(`contrast ${contrast.toFixed(2)}: ${words}`);
}
return found;
"""


def faults(visitor: Visitor) -> list[str]:
    """Return what is wrong with the page that is shown: its width, names of controls, contrast of texts."""
    found: list[str] = visitor.run(_FAULTS, LEAST_CONTRAST)
    return found
