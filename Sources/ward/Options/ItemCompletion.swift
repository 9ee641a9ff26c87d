import WardAgentClient
import WardVault

/// Titles of items for the shell's completion.
enum ItemCompletion {
    /// The completions of the word at an index.
    ///
    /// This starts no agent and shows no prompt: while the vault is locked, there are no completions. A title with several
    /// words is completed word by word. If a title has characters with a meaning in a shell, the item's ID is offered instead.
    static func titles(_ words: [String], _ index: Int, _ prefix: String, inTrash: Bool = false) async -> [String] {
        let method = ListItems(authorization: Authorization(mayPrompt: false), inTrash: inTrash)
        let vault = try? VaultChoice(option: CommandHints.given(in: words)?.description)
        let found = try? await vault?.withAgent(starts: false) { try await $0.call(method).items }
        let before = words.indices.contains(index) ? Array(words[..<index]) : words
        return complete(found ?? [], typed: before.suffix(12).map { $0 }, prefix)
    }

    static func complete(_ items: [SummaryRecord], typed: [String], _ prefix: String) -> [String] {
        let names = items.map { isSafe($0.title) ? $0.title : String($0.id.prefix(8)) }
        // The longest end of the typed text with which a title begins.
        for count in stride(from: typed.count, through: 0, by: -1) {
            let start = typed.suffix(count).map { $0 + " " }.joined().lowercased()
            let rest = names.filter { $0.lowercased().hasPrefix(start + prefix.lowercased()) }
                .map { String($0.dropFirst(start.count)) }.filter { !$0.isEmpty }
            if !rest.isEmpty { return Array(Set(rest)).sorted() }
        }
        return []
    }

    /// Whether no character of the title has a meaning in a shell.
    private static func isSafe(_ title: String) -> Bool {
        guard let first = title.first, first.isLetter || first.isNumber else { return false }
        return title.allSatisfy { $0.isLetter || $0.isNumber || " ._@+-".contains($0) } && !title.hasSuffix(" ")
    }
}
