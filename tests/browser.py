"""A headless Chromium for tests, driven by its DevTools protocol over a pipe: no package besides the browser."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

SECONDS = 120.0  # a loaded machine is no failure
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb",
)  # fmt: skip


def chromium() -> str | None:
    """The path of a Chromium on this machine, None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of one browser."""

    def __init__(self, out: int, into: int) -> None:
        self._out, self._in = out, into
        self._waiting, self._number = b"", 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command; events that come meanwhile are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._waiting:
                assert select.select([self._out], [], [], 2 * SECONDS)[0], f"no answer to {method}: {self.events[-3:]}"
                self._waiting += os.read(self._out, 1 << 20)
            line, _, self._waiting = self._waiting.partition(b"\0")
            said = json.loads(line)
            if said.get("id") == self._number:
                if "error" in said:
                    raise AssertionError(said["error"])
                return said["result"]
            self.events.append(said)

    def size(self, width: int, height: int, *, scale: float = 1, dark: bool = False) -> None:
        """Give the page a size in CSS pixels, and a colour scheme."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, url: str) -> None:
        """Go to a page."""
        self.send("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited. Raises AssertionError for what it throws."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def until(self, script: str, seconds: float = SECONDS) -> Any:
        """The first true value of an expression."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(AssertionError):
                if value := self.run(f"(v => v instanceof Node ? true : v)({script})"):
                    return value
            time.sleep(0.02)
        raise AssertionError(f"never true: {script}\n{self.run('document.body.innerText')[:3000]}")

    def mouse(self, x: float, y: float, *, double: bool = False) -> None:
        """Click at a place of the page."""
        for count in (1, 2) if double else (1,):
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)

    def click(self, selector: str, *, double: bool = False) -> None:
        """Click at the middle of an element, when it is there."""
        found = self.until(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            " e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();"
            " return r.width ? [r.x + r.width / 2, r.y + r.height / 2] : null; })()"
        )
        self.mouse(*found, double=double)

    def keys(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.send("Input.insertText", text=text)

    def key(self, key: str, *, shift: bool = False) -> None:
        """Press a key by its name, as Enter or Tab."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}
        text = {"text": "\r"} if key == "Enter" else {}
        more = {"windowsVirtualKeyCode": codes.get(key, 0), "modifiers": 8 if shift else 0}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **more)

    def screenshot(self, path: Path) -> None:
        """Write a picture of the page."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def complaints(self) -> list[str]:
        """What the page threw, logged as an error or was refused."""
        self.run("1")  # so that everything said so far is read
        found: list[str] = []
        for event in self.events:
            said = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(json.dumps(said["exceptionDetails"])[:1000])
            elif event.get("method") == "Log.entryAdded" and said["entry"]["level"] == "error":
                found.append(f"{said['entry']['text']} {said['entry'].get('url', '')}")
        return found

    def requested(self) -> list[str]:
        """Every URL that the page has asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]


@contextlib.contextmanager
def browser() -> Generator[Browser]:
    """A browser for a block."""
    program = chromium()
    assert program is not None
    from_us, into = os.pipe()
    out, from_it = os.pipe()
    with tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True) as profile:
        # The pipe is on the descriptors 3 and 4 of the browser, which a shell moves them to.
        words = [program, *FLAGS, f"--user-data-dir={profile}"]
        moved = f'exec "$@" 3<&{from_us} 4>&{from_it}'
        process = subprocess.Popen(
            ["/bin/bash", "-c", moved, "sh", *words], pass_fds=(from_us, from_it), stderr=subprocess.DEVNULL
        )
        os.close(from_us)
        os.close(from_it)
        try:
            yield Browser(out, into)
        finally:
            process.terminate()
            process.wait(SECONDS)
            os.close(out)
            os.close(into)
