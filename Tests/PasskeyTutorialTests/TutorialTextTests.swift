import Foundation
import Testing

/// What the tutorial shows is what these tests run.
@Suite struct `The tutorial's text` {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let article = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/WardRelyingParty/Documentation.docc/AddingPasskeysToAnAccountSystem.md")

    /// Lines without what indents and comments them.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("//") }
    }

    @Test(arguments: ["swift", "sql"])
    func `each listing stands in the tested code`(language: String) throws {
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        let listings = article.components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(listings.count >= (language == "sql" ? 1 : 6))
        let sources = ["PasskeyTables.swift", "PasskeyTablesTests.swift"]
        let code = try sources.map { name in
            Self.lines(try String(contentsOf: Self.tests.appending(path: name), encoding: .utf8)).joined(
                separator: "\n"
            )
        }
        for listing in listings {
            let wanted = Self.lines(listing).joined(separator: "\n")
            #expect(code.contains { $0.contains(wanted) }, "no test runs this listing:\n\(listing)")
        }
    }
}
