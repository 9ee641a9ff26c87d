import ArgumentParser
import Foundation
import WardAgentClient

/// What there is.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items; with words, only those that have all of them.",
        discussion: "Words are looked for in titles, user names, sites and tags; case and accents do not matter."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Words to look for.", valueName: "query"))
    var query: [String] = []
    @Option(help: ArgumentHelp("Only items for this page.", valueName: "address"))
    var site: String?
    @Option(
        help: ArgumentHelp(
            "Only items of this kind: login, note, card, identity, wifi, ssh-key, api-key.",
            valueName: "kind"
        )
    )
    var kind: String?
    @Option(help: "Only items with this tag.")
    var tag: String?
    @Flag(help: "What is in the trash.")
    var trash = false

    func run() async throws {
        let method = ListItems(
            authorization: try options.authorization(),
            query: query.joined(separator: " "),
            site: site,
            kind: kind,
            tag: tag,
            inTrash: trash
        )
        try await options.withAgent { agent in
            let found = try await agent.call(method)
            let items = found.items
            if let damaged = found.damaged { Self.warn(damaged) }
            if options.json { return try Output.json(items) }
            guard !items.isEmpty else {
                let next =
                    query.isEmpty && site == nil ? "ward add puts something in." : "ward list shows all there is."
                return Terminal.note(trash ? "The trash is empty." : "Nothing found. \(next)")
            }
            Output.lines(Self.table(items).lines(width: Terminal.width, paint: Paint(isOn: Paint.isWanted)))
        }
    }

    static func table(_ items: [SummaryRecord]) -> Table {
        var table = Table([
            .init(heading: "Title"), .init(heading: "User name"), .init(heading: "Site"),
            .init(heading: "Has", shrinks: false), .init(heading: "ID", shrinks: false),
        ])
        for item in items {
            var has: [String] = []
            if item.isDamaged == true { has.append("damaged") }
            if item.kind != "login" { has.append(item.kind) }
            if item.passkeys > 0 { has.append(item.passkeys == 1 ? "passkey" : "\(item.passkeys) passkeys") }
            if item.hasPassword { has.append("password") }
            if item.codes > 0 { has.append("code") }
            table.add([
                (item.isFavorite ? "★ " : "") + (item.title.isEmpty ? "(title unknown)" : item.title), item.username,
                Self.host(item.sites.first ?? ""),
                has.joined(separator: ", "), String(item.id.prefix(8)),
            ])
        }
        return table
    }

    /// Says on standard error, where it spoils no pipe, that items are damaged.
    private static func warn(_ damaged: [String]) {
        let which = damaged.prefix(3).map { String($0.prefix(8)) }
        let more = damaged.count > 3 ? " and \(damaged.count - 3) more" : ""
        Terminal.note(
            "\(damaged.count == 1 ? "1 item is" : "\(damaged.count) items are") damaged: "
                + "\(which.joined(separator: ", "))\(more). See what can be restored: ward history \(which.first ?? "ID")"
        )
    }

    private static func host(_ address: String) -> String {
        URLComponents(string: address)?.host ?? address
    }
}

/// One item.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an item; its secrets only with --reveal, --field or --copy.",
        discussion: "ITEM is a title, words that fit one item alone, or the beginning of its name."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Which item.", valueName: "item"))
    var item: [String]
    @Flag(help: "Show passwords, hidden fields and notes.")
    var reveal = false
    @Option(
        help: ArgumentHelp(
            "Print this alone: password, username, notes, otpauth, title, site, or the label of a field.",
            valueName: "name"
        )
    )
    var field: String?
    @Flag(
        help:
            "Copy the password, or what --field names, to the clipboard, which clears itself after 45 seconds (WARD_CLIPBOARD_SECONDS)."
    )
    var copy = false
    @Option(
        help: ArgumentHelp(
            "A state of the item's history: its number, or the beginning of its name.",
            valueName: "state"
        )
    )
    var revision: String?

    func run() async throws {
        let method = GetItem(
            authorization: try options.authorization(),
            item: item.joined(separator: " "),
            reveal: reveal || copy || field != nil,
            revision: revision
        )
        try await options.withAgent { agent in
            let record = try await agent.call(method)
            if copy || field != nil {
                let name = field ?? "password"
                guard let value = ItemText.value(name, of: record) else {
                    throw Failure(.missing, "\(record.title) has no \(name)")
                }
                return copy ? try Clipboard.copy(value, what: name) : Output.value(value)
            }
            if options.json { return try Output.json(record) }
            Output.lines(ItemText.lines(record, paint: Paint(isOn: Paint.isWanted), reveal: reveal))
        }
    }
}

/// A code of an item.
struct CodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Show the verification code of an item, and how long it lives.",
        discussion: "A code that counts (HOTP) is used up by showing it."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Which item.", valueName: "item"))
    var item: [String]
    @Option(help: ArgumentHelp("Which of several codes, counted from 0.", valueName: "n"))
    var index = 0
    @Flag(help: "Copy it to the clipboard, which clears itself.")
    var copy = false
    @Flag(help: "Show the next ones too, until Ctrl-C or until the vault locks.")
    var watch = false

    func run() async throws {
        let method = ShowCode(
            authorization: try options.authorization(),
            item: item.joined(separator: " "),
            index: index
        )
        let watches = watch && isatty(STDOUT_FILENO) == 1 && !options.json
        try await options.withAgent { agent in
            var answer = try await agent.call(method)
            if copy { return try Clipboard.copy(answer.code, what: "code") }
            if options.json { return try Output.json(answer) }
            let paint = Paint(isOn: Paint.isWanted)
            guard watches, answer.period != nil else { return Output.lines([CodeText.line(answer, paint)]) }
            // A code that lives by the clock is the same for everybody, so it is asked for once a second.
            var refresh = method
            refresh.isRefresh = true
            while !Task.isCancelled {
                Output.rewrite(CodeText.line(answer, paint))
                try await Task.sleep(for: .seconds(1))
                answer = try await agent.call(refresh)
            }
        }
    }
}
