"""A headless Chromium, driven over its DevTools pipe: no window, no port, no library."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page of a browser with a profile of its own. requests and troubles are what it asked for and complained about since it began."""

    def __init__(self, width, height):
        self.requests, self.troubles = [], []
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        there, self.to = os.pipe()
        self.answers, back = os.pipe()
        options = ["--headless", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # which it refuses to make as root
        self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{there} 4>&{back}', "bash", PROGRAM, *options, "about:blank"], pass_fds=(there, back),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(there)
        os.close(back)
        self.unread, self.calls, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)

    def _next(self, end):
        while b"\0" not in self.unread:
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            if not (more := os.read(self.answers, 1 << 16)):
                raise RuntimeError(f"the browser ended with {self.process.wait()}")
            self.unread += more
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        about = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.troubles.append(about["exceptionDetails"])
        elif event.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.troubles.append(about["entry"])

    def call(self, method, **params):
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": params} | ({"sessionId": self.session} if self.session else {})
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 120
        while (answer := self._next(end)).get("id") != self.calls:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        """What the expression is in the page, now."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression, seconds):
        """The first value of the expression that is true, or not empty."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(expression)):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {expression}; the page says: {self.evaluate('document.body.innerText')}")
            time.sleep(0.1)
        return value

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        os.close(self.to)  # the end of its orders ends it
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.answers)
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
