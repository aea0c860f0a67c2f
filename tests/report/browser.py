# SPDX-License-Identifier: MIT
"""Headless Chromium over its debugging pipe: no port, no driver, no network. Standard library only."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--disable-default-apps", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
         "--remote-debugging-pipe", "about:blank"]


def program():
    """The browser, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Failure(Exception):
    pass


class Browser:
    """One page. `complaints` collects what its console, its exceptions and its policy had to say."""

    def __init__(self, timeout_s=30, online=False):
        self.timeout_s = timeout_s
        self.complaints = []
        self.requests = []
        self.answers = {}
        self.loaded = False
        self.number = 0
        self.session = None
        self.rest = b""
        self.profile = tempfile.mkdtemp(prefix="weir-browser-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4.
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(
            ["sh", "-c", shell, "sh", program()] + [f"--user-data-dir={self.profile}"] + FLAGS,
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.profile))
        os.close(to_read)
        os.close(to_write)
        os.set_blocking(self.back, False)
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        if not online:
            self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0,
                      uploadThroughput=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self, until):
        while b"\0" not in self.rest:
            if time.monotonic() > until:
                raise Failure("the browser does not answer")
            try:
                piece = os.read(self.back, 1 << 20)
                if not piece:
                    raise Failure("the browser went away")
                self.rest += piece
            except BlockingIOError:
                time.sleep(.002)
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def event(self, message):
        name, what = message.get("method"), message.get("params", {})
        if name == "Page.loadEventFired":
            self.loaded = True
        elif name == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif name == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(what["exceptionDetails"])[:500])
        elif name == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            # About the tests' own look at the pixels.
            if "willReadFrequently" not in what["entry"]["text"]:
                self.complaints.append(what["entry"]["text"])
        elif name == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(what["args"])[:500])
        elif name == "Page.javascriptDialogOpening":
            self.complaints.append("a dialog opened: " + what["message"])
            self.send("Page.handleJavaScriptDialog", accept=False)

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **params):
        number, until = self.send(method, **params), time.monotonic() + self.timeout_s
        while number not in self.answers:
            message = self.read(until)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.event(message)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    # ---- what a person does ----

    def open(self, path, width=1280, height=900, dark=False, scripts=True, touch=False):
        self.complaints.clear()
        self.requests.clear()
        self.loaded = False
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.theme(dark)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=path if "://" in path else "file://" + os.path.abspath(path))
        until = time.monotonic() + self.timeout_s
        while not self.loaded:
            message = self.read(until)
            if "id" not in message:
                self.event(message)
        if scripts:
            self.settle()

    def theme(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def settle(self):
        """Until the page has drawn twice."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x1, y1, x2, y2, **more):
        self.mouse("mouseMoved", x1, y1)
        self.mouse("mousePressed", x1, y1, button="left", buttons=1, clickCount=1, **more)
        for i in range(1, 5):
            self.mouse("mouseMoved", x1 + (x2 - x1) * i / 4, y1 + (y2 - y1) * i / 4, button="left", buttons=1, **more)
        self.mouse("mouseReleased", x2, y2, button="left", clickCount=1, **more)
        self.settle()

    def screenshot(self, path, full=False, **clip):
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=bool(clip),
                            **({"clip": clip} if clip else {}))
        with open(path, "wb") as f:
            f.write(base64.b64decode(picture["data"]))
