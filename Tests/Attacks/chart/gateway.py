"""A sign-in that asks the owner: whoever knows the user name makes a question appear at the owner's, and a yes lets them in.

The service has nothing of the kind. Here it stands before the service, as a program that holds what the owner signs in with.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from .local_site import LocalSite

# The owner's page: asks each question once, and says how many were answered.
PAGE = """<!doctype html><html lang="en"><title>Questions</title><link rel="icon" href="data:,"><script>
window.answered = 0;
(async () => {
    for (;;) {
        const question = await (await fetch('/next?after=' + window.answered)).json();
        const agrees = confirm('Sign in?');
        await fetch('/answer', { method: 'POST', body: JSON.stringify({ ...question, agrees }) });
        window.answered += 1;
    }
})();
</script></html>"""


class Gateway:
    def __init__(self, sign_in: Callable[[], dict[str, str]]) -> None:
        #: Signs in as the owner; the cookies.
        self.sign_in = sign_in
        self.questions = 0
        #: The cookies for whoever asked, after a yes.
        self.given: dict[str, str] = {}
        self._changed = threading.Condition()
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/next"):
                    self.answer(gateway.next_question(int(self.path.partition("=")[2])))
                else:
                    self.answer(PAGE)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer(gateway.ask() if self.path == "/push" else gateway.take(body))

            def answer(self, content: Any) -> None:
                kind = "text/html" if isinstance(content, str) else "application/json"
                data = (content if isinstance(content, str) else json.dumps(content)).encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = LocalSite(Handler)
        self.url = f"http://localhost:{self._server.port}"

    def close(self) -> None:
        self._server.close()

    def ask(self) -> dict[str, Any]:
        with self._changed:
            self.questions += 1
            self._changed.notify_all()
        return {}

    def next_question(self, after: int) -> dict[str, Any]:
        """Waits for a question that was not asked yet."""
        with self._changed:
            self._changed.wait_for(lambda: self.questions > after, timeout=120)
        return {"question": after + 1}

    def take(self, answer: dict[str, Any]) -> dict[str, Any]:
        if answer["agrees"]:
            self.given = self.sign_in()
        return {}
