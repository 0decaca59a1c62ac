"""A headless Chromium that records the log messages and network requests of a page.

A module's tests use it with ``from browser import chromium`` (a fixture). Without a browser they
are skipped.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from require import missing
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LOCAL_SCHEMES = ("file:", "data:", "about:", "blob:")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
    # A page is at rest as soon as its script has run; a test of motion asks for it.
    "--force-prefers-reduced-motion",
)


class Browser:
    """A driver with methods for tests of pages."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str | Path, *, wait: str = "document.documentElement.dataset.ready"):
        """Open a file or an address in a fresh page, and wait until ``wait`` is true."""
        if isinstance(address, Path):
            address = address.absolute().as_uri()
        self.driver.get("about:blank")  # otherwise another fragment would not load the page anew
        self.drain()
        self.driver.get(address)
        self.until(wait)

    def js(self, script: str, *arguments: Any) -> Any:
        """Run the body of a function in the page."""
        return self.driver.execute_script(script, *arguments)

    def until(self, expression: str, *arguments: Any, seconds: float = 15) -> None:
        """Wait until an expression is true in the page."""
        done = self.driver.execute_async_script(
            f"""const end = performance.now() + {seconds * 1000};
            const given = arguments, done = arguments[arguments.length - 1];
            const test = function () {{ return {expression}; }};
            const look = () => test.apply(null, given) ? done(true)
                : performance.now() > end ? done(false) : setTimeout(look, 10);
            look();""",
            *arguments,
        )
        assert done, f"not true after {seconds} s: {expression}; {self.driver.get_log('browser')}"

    def drain(self) -> tuple[list[str], list[str]]:
        """Console entries, and requests that are not local, since the last call."""
        console = [f"{e['level']} {e['message']}" for e in self.driver.get_log("browser")]
        requests = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if not address.startswith(LOCAL_SCHEMES):
                    requests.append(address)
            elif message["method"] == "Network.loadingFailed":
                requests.append(f"failed: {message['params'].get('errorText')}")
        return console, requests

    def assert_quiet(self) -> None:
        """No console entry, no network request, no file that failed to load."""
        console, requests = self.drain()
        assert not console, f"the page logged {console}"
        assert not requests, f"the page asked for {requests}"


@contextmanager
def opened(profile: Path) -> Iterator[Browser]:
    """Open a browser with its own profile; skip the test if no browser is installed."""
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    if binary is None:
        missing("chromium", f"none of {', '.join(BROWSERS)} is installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # On Debian the driver has a known path; elsewhere Selenium finds a matching driver.
    service = Service(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(60)
    try:
        yield Browser(driver)
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened(tmp_path_factory.mktemp("profile")) as browser:
        yield browser
