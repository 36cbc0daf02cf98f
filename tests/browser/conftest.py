"""A real Chromium, headless: Debian's packages ``chromium`` and ``chromium-driver``."""

import os
import shutil
from collections.abc import Iterator

import pytest
from django.db import connections
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from tests.browser.office import Office, make_office
from tests.browser.visitor import Visitor

FLAGS = (
    "--headless",
    "--no-sandbox",  # tests may run as root, where Chromium refuses to start with one
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT = 60  # seconds for the browser to start, or to answer


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One browser for all tests, with a profile of its own."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        assert "CI" not in os.environ, "CI installs chromium and chromium-driver"
        pytest.skip("needs chromium and chromedriver (Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    chrome.set_page_load_timeout(WAIT)
    yield chrome
    chrome.quit()


@pytest.fixture
def visitor(
    chromium: webdriver.Chrome, live_server: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Visitor]:
    """Somebody who is not signed in."""
    # The browser keeps its connections, and so the server its threads; these must not keep theirs to the
    # database, which could not be removed then.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    visitor = Visitor(chromium, str(live_server))
    yield visitor
    visitor.leave()


@pytest.fixture
def office(transactional_db: None) -> Office:
    return make_office()
