import Hummingbird

/// The app's own two pages.
enum Page {
    static var home: Response {
        page("Notes", #"<p>Notes that only you see.</p><p><a href="/notes">Your notes</a></p>"#)
    }

    static func notes(_ notes: [String], of name: String) -> Response {
        page(
            "Notes of \(escaped(name))",
            """
            <ul>\(notes.map { "<li>\(escaped($0))</li>" }.joined())</ul>
            <form method="post" action="/notes"><label>New note: <input name="text" required></label> <button>Add</button></form>
            <p><a href="/account">Your account</a></p>
            """
        )
    }

    private static func page(_ title: String, _ body: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            ],
            body: .init(
                byteBuffer: .init(
                    string: """
                        <!doctype html>
                        <html lang="en">
                        <meta charset="utf-8">
                        <meta name="viewport" content="width=device-width, initial-scale=1">
                        <title>\(title)</title>
                        <h1>\(title)</h1>
                        \(body)
                        </html>
                        """
                )
            )
        )
    }

    private static func escaped(_ text: String) -> String {
        let escapes: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return text.map { escapes[$0] ?? String($0) }.joined()
    }
}
