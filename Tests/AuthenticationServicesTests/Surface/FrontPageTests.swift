import Foundation
import Testing

@Suite struct `The front page` {
    @Test func `its code for apps is the snippet that compiles`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appending(path: "README.md")
        guard FileManager.default.fileExists(atPath: page.path) else { return }
        let snippet = try String(contentsOf: root.appending(path: "Snippets/SignInWithApp.swift"), encoding: .utf8)
        let shown = try #require(
            snippet.components(separatedBy: "// snippet.show\n").last?.components(separatedBy: "// snippet.hide").first
        )
        #expect(try String(contentsOf: page, encoding: .utf8).contains(shown.trimmingCharacters(in: .newlines)))
    }
}
