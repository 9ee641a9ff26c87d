import Foundation
import WardAgentClient

/// Lets a person pick one of several items.
enum ItemPicker {
    /// The items that a command can use.
    enum Kinds {
        /// Items outside the trash.
        case items
        /// Items with a verification code.
        case codes
        /// Items in the trash.
        case trash
        /// All items.
        case all
    }

    private static let maximum = 30

    /// Runs a closure with words that select an item.
    ///
    /// If several items match, the person picks one, and the closure gets its ID.
    static func pick<T: Sendable>(
        _ words: String,
        _ options: AgentOptions,
        _ authorization: Authorization,
        _ agent: AgentClient,
        from kinds: Kinds,
        _ body: (String) async throws -> T
    ) async throws -> T {
        do { return try await body(words) } catch let error as AgentError where error.code == .ambiguous {
            guard Terminal.isInteractive, !options.noPrompt, !options.json else { throw error }
            let candidates = try await candidates(words, kinds, authorization, agent)
            guard candidates.count > 1 else { throw error }
            return try await body(try ask(words, candidates))
        }
    }

    /// The items that match the words.
    private static func candidates(
        _ words: String,
        _ kinds: Kinds,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> [SummaryRecord] {
        var found: [SummaryRecord] = []
        if kinds != .trash {
            found += try await agent.call(ListItems(authorization: authorization, query: words)).items
        }
        if kinds == .trash || kinds == .all {
            found += try await agent.call(ListItems(authorization: authorization, query: words, inTrash: true)).items
        }
        if kinds == .codes { found = found.filter { $0.codes > 0 } }
        let exact = found.filter { $0.title.lowercased() == words.lowercased() }
        return exact.count > 1 ? exact : found
    }

    /// Asks the person to pick an item.
    ///
    /// - Returns: Its ID.
    /// - Throws: ``Failure`` with `denied` when the person picks none.
    private static func ask(_ words: String, _ candidates: [SummaryRecord]) throws -> String {
        let shown = candidates.prefix(maximum)
        var table = Table([
            .init(heading: "", shrinks: false), .init(heading: "Title"), .init(heading: "User name"),
            .init(heading: "Site"), .init(heading: "ID", shrinks: false),
        ])
        for (number, item) in shown.enumerated() {
            table.add([
                "\(number + 1)", item.title + (item.deletedAt == nil ? "" : " (trash)"), item.username,
                item.sites.first.map(SiteText.host) ?? "", String(item.id.prefix(8)),
            ])
        }
        Terminal.note("Several items match “\(words)”:")
        let paint = Paint(isOn: Paint.isWantedOnError)
        Terminal.note(
            table.lines(width: Terminal.width(of: STDERR_FILENO), paint: paint).dropFirst().joined(separator: "\n")
        )
        if candidates.count > maximum {
            Terminal.note("And \(candidates.count - maximum) more: type more of the title.")
        }
        while true {
            let answer = try Question.text("Which one? [1-\(shown.count)] ").trimmingCharacters(in: .whitespaces)
            if answer.isEmpty { throw Failure(.denied, "No item was picked") }
            if let number = Int(answer), shown.indices.contains(number - 1) { return shown[number - 1].id }
            Terminal.note("  Type a number from 1 to \(shown.count), or press Enter to cancel.")
        }
    }
}
