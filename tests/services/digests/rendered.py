"""Reads a rendered mail as a client would: its elements, its visible text, and the colours it stands in."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "meta"}
UNSEEN = {"style", "title", "head"}
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_MEDIA = re.compile(r"@media \(([^)]*)\) \{((?:[^{}]*\{[^{}]*\})*)\s*\}")


@dataclass
class Element:
    """An open element, with what it inherits and what is set on it."""

    tag: str
    attrs: dict[str, str]
    color: str
    background: str
    hidden: bool

    @property
    def classes(self) -> set[str]:
        return set(self.attrs.get("class", "").split())


@dataclass
class Text:
    """A piece of visible text and its colours."""

    words: str
    color: str
    background: str


@dataclass
class Rendered(HTMLParser):
    """The page, in light or dark. Fails on elements that are not closed in order."""

    html: str
    dark: bool = False
    elements: list[Element] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        css = "".join(re.findall(r"<style>(.*?)</style>", self.html, re.DOTALL))
        chosen = "".join(body for query, body in _MEDIA.findall(css) if self.dark and "dark" in query)
        self._rules = [
            (selector.split(), _declared(body))
            for selectors, body in _RULE.findall(_MEDIA.sub("", css) + chosen)
            for selector in selectors.split(",")
        ]
        self._open = [Element("", {}, "#000000", "#ffffff", False)]
        self.feed(self.html)
        self.close()
        assert len(self._open) == 1, self._open

    @property
    def text(self) -> str:
        return " ".join("".join(text.words for text in self.texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parent = self._open[-1]
        element = Element(
            tag,
            {k: v or "" for k, v in attrs},
            parent.color,
            parent.background,
            parent.hidden or tag in UNSEEN,
        )
        self._open.append(element)
        self._style(element)
        self.elements.append(element)
        if tag in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        here = self._open[-1]
        if data.strip() and not here.hidden:
            self.texts.append(Text(data, here.color, here.background))

    def _style(self, element: Element) -> None:
        applied = [style for selector, style in self._rules if self._matches(selector)]
        inline = _declared(element.attrs.get("style", ""))
        for style in [*applied, inline, *({k: v for k, v in s.items() if "!" in v} for s in applied)]:
            element.color = style.get("color", element.color).split()[0]
            element.background = style.get("background", element.background).split()[0]
            element.hidden = element.hidden or style.get("display") == "none"

    def _matches(self, selector: list[str]) -> bool:
        *above, last = selector
        if not _fits(last, self._open[-1]):
            return False
        return all(any(_fits(part, element) for element in self._open[:-1]) for part in above)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours like #1f2328 (WCAG 2.2)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _fits(part: str, element: Element) -> bool:
    return part[1:] in element.classes if part.startswith(".") else part == element.tag


def _declared(style: str) -> dict[str, str]:
    pairs = (declaration.split(":", 1) for declaration in style.split(";") if ":" in declaration)
    return {name.strip(): value.strip() for name, value in pairs}


def _luminance(colour: str) -> float:
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
