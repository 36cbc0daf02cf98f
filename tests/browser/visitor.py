"""Somebody in front of a browser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.test import Client
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from project.models import User

PATIENCE = 20  # seconds


@dataclass(frozen=True)
class Visitor:
    chrome: Chrome
    site: str

    def sign_in(self, user: User) -> None:
        client = Client()
        client.force_login(user)
        self.open("/sign-in/")
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        self.chrome.add_cookie({"name": cookie.key, "value": cookie.value, "path": "/"})

    def open(self, path: str) -> None:
        self.chrome.get(f"{self.site}{path}")

    def at(self) -> str:
        """Path, query and fragment of the page that is shown."""
        return self.chrome.current_url.removeprefix(self.site)

    def all(self, css: str) -> list[WebElement]:
        return self.chrome.find_elements(By.CSS_SELECTOR, css)

    def one(self, css: str) -> WebElement:
        return self.chrome.find_element(By.CSS_SELECTOR, css)

    def text(self, css: str = "main") -> str:
        return str(self.steadily(lambda: self.one(css).text))

    def attribute(self, css: str, name: str) -> str:
        return str(self.steadily(lambda: self.one(css).get_attribute(name)))

    def steadily(self, look: Callable[[], Any]) -> Any:
        """What `look` finds; a live page may replace an element between finding and reading it."""
        return self.until(lambda: (look(),))[0]

    def press(self, label: str, within: str = "body") -> None:
        """Press the first control that can be seen and reads `label`."""
        self.until(lambda: self._pressed(label, within))

    def _pressed(self, label: str, within: str) -> bool:
        controls = self.one(within).find_elements(By.CSS_SELECTOR, "button, a, summary, label")
        control = next((c for c in controls if c.is_displayed() and label in c.text), None)
        if control:
            control.click()
        return control is not None

    def press_and_leave(self, label: str, within: str = "body") -> None:
        """Press what loads a page, and wait for that."""
        old = self.one("html")
        self.press(label, within)
        self.until(lambda: _is_stale(old))

    def type(self, keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.chrome).send_keys(keys).perform()

    def come_back(self) -> None:
        """Look at the page again, as after another tab."""
        self.run("document.dispatchEvent(new Event('visibilitychange'))")

    @contextmanager
    def before_its_own(self, script: str) -> Iterator[None]:
        """Run `script` on each page before the page's scripts."""
        added = self.chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        yield
        self.chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

    def until(self, true: Callable[[], Any]) -> Any:
        """Wait until it is true; a page that replaces its parts meanwhile is asked again."""
        wait = WebDriverWait(self.chrome, PATIENCE, 0.05, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(lambda _: true())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def look(self, width: int, theme: str = "light") -> None:
        """Look from a screen of this width, in a light or dark theme."""
        self._emulate("setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        feature = {"name": "prefers-color-scheme", "value": theme}
        self._emulate("setEmulatedMedia", features=[feature])

    def without_javascript(self) -> None:
        self._emulate("setScriptExecutionDisabled", value=True)

    def complaints(self) -> list[str]:
        """What the browser found wrong since it was last asked: errors, blocked files."""
        return [entry["message"] for entry in self.chrome.get_log("browser")]

    def leave(self) -> None:
        self._emulate("setScriptExecutionDisabled", value=False)
        self._emulate("clearDeviceMetricsOverride")
        self.chrome.delete_all_cookies()
        self.chrome.get("about:blank")

    def _emulate(self, command: str, **values: Any) -> None:
        self.chrome.execute_cdp_cmd(f"Emulation.{command}", values)


def _is_stale(element: WebElement) -> bool:
    try:
        element.is_enabled()
    except WebDriverException:  # stale, or, in the middle of the change, unknown
        return True
    return False
