"""Images in stored HTML, in words: a remote image would tell its host who looks, and when, so none is loaded."""

import re
from html import escape, unescape

from project.services.digests.header_text import clean_header_text

#: The elements of HTML and of Plane's editor, and what a sanitiser must leave of each until they are words.
IMAGES = {"img": {"alt"}, "image-component": {"alt"}}

_IMAGE = re.compile(r'<(?:img|image-component)(?: alt="([^"]*)")?>')


def with_image_words(html: str) -> str:
    """Put "[image: what it shows]", or "[image]", for each image.

    Args:
        html: as a sanitiser wrote it that knows `IMAGES`.
    """
    return _IMAGE.sub(_words, html)


def _words(image: re.Match[str]) -> str:
    shown = clean_header_text(unescape(image[1] or ""))
    return escape(f"[image: {shown}]" if shown else "[image]")
