// Connects a browser's extension to the agent. The browser starts this program, and speaks native messaging with it.
//
//     ward-browser chrome-extension://ID/          as Chromium starts it
//     ward-browser /path/of/the/manifest.json ID   as Firefox starts it
//
// It checks the form of each message and passes it to the agent, which decides. It holds no key, and ends when the browser
// closes standard input. Standard output has answers only.

import Foundation
import WardAgentClient

let help = """
    USAGE: ward-browser chrome-extension://ID/
           ward-browser MANIFEST ID

    A browser starts this program to connect Ward's extension to the agent. To set this up: ward browser install

    OPTIONS:
      --version  Print the version.
      -h, --help Print this help.
    """

/// Writes a text and a line feed.
func say(_ text: String, on file: FileHandle = .standardOutput) { try? file.write(contentsOf: Data("\(text)\n".utf8)) }

Hardening.apply()
signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--version"] {
    say(BrowserHost.version)
    exit(0)
}
if arguments == ["--help"] || arguments == ["-h"] {
    say(help)
    exit(0)
}
guard let id = ExtensionID.given(by: arguments) else {
    say("Error: a browser starts this program. To set this up: ward browser install", on: .standardError)
    exit(64)
}
await BrowserHost(extensionID: id).run()
