"""Pages in a real browser: one start of headless Chromium opens many, in frames of a page.

Pages are served from this machine and no other name resolves; every request is kept. Without
Chromium the tests that need it are skipped, and say so.
"""

import html
import json
import re
import shutil
import subprocess
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --enable-logging=stderr "
    "--host-resolver-rules=MAP\u00a0*\u00a0~NOTFOUND,EXCLUDE\u00a0127.0.0.1 --dump-dom"
)
HARNESS = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
{frames}<pre id="found"></pre><script>
const look = {look};
addEventListener("load", () => {{
  const found = {{}};
  for (const frame of document.querySelectorAll("iframe"))
    found[frame.name] = look(frame.contentWindow, frame.contentDocument);
  document.getElementById("found").textContent = JSON.stringify(found);
}});
</script>"""


def chromium():
    """The browser; the test is skipped where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    return found or pytest.skip("needs Chromium (Debian: apt-get install chromium)")


class Seen:
    """What came of the pages: by name what `look` saw, what the console said, what was asked."""

    def __init__(self, found, console, requests):
        self.found, self.console, self.requests = found, console, requests


def opened(pages, look, *, width=390, extra=()):
    """Open pages by name in frames of that width, and look at each.

    look: a JavaScript function of the window and the document of a page.
    """
    binary, requests = chromium(), []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def log_request(self, *_):
            requests.append(self.path)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as kept:
        site = Path(kept, "site")
        site.mkdir()
        for name, page in pages.items():
            (site / f"{name}.html").write_text(page, "utf-8")
        frames = "".join(
            f'<iframe name="{name}" src="{name}.html" width="{width}" height="900"></iframe>'
            for name in pages
        )
        (site / "harness.html").write_text(HARNESS.format(frames=frames, look=look), "utf-8")
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            flags = [flag.replace("\u00a0", " ") for flag in FLAGS.split(" ")]
            profile = f"--user-data-dir={kept}/profile"
            address = f"http://127.0.0.1:{server.server_port}/harness.html"
            ended = subprocess.run(
                [binary, *flags, *extra, profile, address],
                capture_output=True,
                timeout=120,
                check=True,
            )
        finally:
            server.shutdown()
            server.server_close()
    told = re.search(r'<pre id="found">(.*?)</pre>', ended.stdout.decode(), re.DOTALL)
    console = [line for line in ended.stderr.decode().splitlines() if "CONSOLE" in line]
    expected = {"/harness.html", *(f"/{name}.html" for name in pages)}
    rest = [path for path in requests if path not in expected]
    return Seen(json.loads(html.unescape(told[1])), console, rest)
