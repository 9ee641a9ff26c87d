"""An app that knows its people by what the proxy says: no library, no password, no session.

    python3 app.py [PORT]

It listens on this machine alone, so that every request comes from the proxy.
"""

import html
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>App</title>
<h1>Hello, {name}</h1><p>You are {user}. Your data belongs to the account {id}.</p>
<form method="post" action="/.ward/sign-out"><button>Sign out</button></form></html>
"""


class App(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        # Names can be changed and given to other people; the ID stays. Keep data by the ID.
        said = {field: unquote(self.headers[f"Remote-{field}"]) for field in ("Id", "User", "Name")}
        shown = {field.lower(): html.escape(text) for field, text in said.items()}
        body = PAGE.format(**shown).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    ThreadingHTTPServer(("127.0.0.1", port), App).serve_forever()
