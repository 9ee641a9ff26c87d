import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Adds the verification codes of a link or a QR code, each to the item of its account.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Add verification codes from a link or a QR code to their items.",
        discussion: """
            Without a source, the desktop takes a picture of the screen, and asks you for it. ward removes the picture afterwards.

            ward looks for the item of the account, asks once, and shows the first code, which most sites want to see.

            ward scan
            ward scan picture.png
            ward scan 'otpauth://totp/…'

            The desktop starts this command for otpauth links. Other programs of this machine can see the command line for a \
            moment: ward wipes the link from there when it starts. To keep it out altogether, use a file or standard input (-).
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp(
            "An otpauth link, a file with links, or a picture of QR codes; - for standard input. Without it: the screen.",
            valueName: "source"
        ),
        completion: .file()
    )
    var source: String?
    @Option(help: ArgumentHelp("Item that gets the code, by its title or ID.", valueName: "item"))
    var item: String?
    @Flag(help: "Always add a new item.")
    var new = false
    @Flag(help: "Add without a question.")
    var yes = false
    @Flag(help: "Wait for Enter at the end, so that a window stays open.")
    var wait = false

    func validate() throws {
        guard item == nil || !new else { throw ValidationError("Give --item or --new, not both.") }
    }

    func run() async throws {
        defer { if wait, Terminal.isInteractive { _ = try? Question.text("Press Enter to close. ") } }
        do {
            try await add()
        } catch let failure as Failure where wait && Terminal.isInteractive {
            // The window would close before anybody reads the error.
            Terminal.note("Error: \(Screen.line(failure.description))")
            throw ExitCode(failure.status.rawValue)
        } catch let error as AgentError where wait && Terminal.isInteractive {
            let failure = Failure(error)
            Terminal.note("Error: \(Screen.line(failure.description))")
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func add() async throws {
        CommandLineSecret.wipe(beginningWith: "otpauth")
        let links = try links()
        let codes = try links.map { (link: $0, code: try CodeSource.code($0)) }
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            var added: [ItemRecord] = []
            for (link, code) in codes {
                let place = try await place(of: code, authorization, agent)
                let record = try await add(link, code, to: place, authorization, agent)
                added.append(record)
                guard !options.json else { continue }
                try await show(code, in: record, isNew: place == nil, authorization, agent)
            }
            if options.json { try Output.json(added) }
        }
    }

    private func links() throws -> [String] {
        guard let source else {
            guard !options.noPrompt else { throw Failure(.usage, "Name a picture or a link, or leave out --no-prompt") }
            return try CodeSource.links(in: ScreenQR.texts(), "the screen")
        }
        return try CodeSource.isLink(source) ? CodeSource.links(in: [source], "the link") : CodeSource.links(source)
    }

    // MARK: Places

    /// The item that gets a code; `nil` for a new one.
    private func place(
        of code: OneTimePassword,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> SummaryRecord? {
        let name = Self.name(of: code)
        guard !new else {
            try Confirmation.ask("Add \(name) as a new item?", isGiven: yes, options)
            return nil
        }
        let items = try await agent.call(ListItems(authorization: authorization, query: item ?? "")).items
        let found =
            item.map { query in items.filter { $0.id.hasPrefix(query) || $0.title.lowercased() == query.lowercased() } }
            ?? CodePlaces.candidates(for: code, among: items)
        if item != nil, found.count != 1 {
            let text = found.isEmpty ? "No item is named" : "Several items are named"
            throw Failure(.missing, "\(text) \(Table.clean(item ?? "")). To see all items: ward list")
        }
        if found.count > 1 { return try choose(name, found) }
        let question =
            found.first.map { "Add the code of \(name) to \(Self.name(of: $0))?" } ?? "Add \(name) as a new item?"
        try Confirmation.ask(question, isGiven: yes, options)
        return found.first
    }

    private func choose(_ name: String, _ found: [SummaryRecord]) throws -> SummaryRecord? {
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "Several items fit \(name). Name one with --item, or use --new")
        }
        let shown = found.prefix(9)
        Output.lines(["\(name) fits several items:"] + shown.enumerated().map { "  \($0 + 1)  \(Self.name(of: $1))" })
        let answer = try Question.text("Number of the item, or n for a new one: ").lowercased()
        if answer == "n" { return nil }
        guard let number = Int(answer), shown.indices.contains(number - 1) else {
            throw Failure(.denied, "Nothing was changed")
        }
        return shown[number - 1]
    }

    private static func name(of code: OneTimePassword) -> String {
        let issuer = code.issuer.isEmpty ? "Code" : Table.clean(String(code.issuer.prefix(80)))
        return code.account.isEmpty ? issuer : "\(issuer) (\(Table.clean(String(code.account.prefix(80)))))"
    }

    private static func name(of item: SummaryRecord) -> String {
        let user = item.username.isEmpty ? "" : " (\(Table.clean(item.username)))"
        return "\(Table.clean(item.title))\(user) [\(item.id.prefix(8))]"
    }

    // MARK: Adding

    private func add(
        _ link: String,
        _ code: OneTimePassword,
        to place: SummaryRecord?,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> ItemRecord {
        var change = ItemChange()
        change.addCodes = [link]
        if let place {
            return try await agent.call(EditItem(authorization: authorization, item: place.id, change: change))
        }
        change.title = code.issuer.isEmpty ? (code.account.isEmpty ? "Code" : code.account) : code.issuer
        change.username = code.account
        let added = try await agent.call(
            AddItem(authorization: authorization, change: change, isApart: new ? true : nil)
        )
        return added
    }

    /// Says where the code is, and shows the first one, which the site wants to see.
    private func show(
        _ code: OneTimePassword,
        in record: ItemRecord,
        isNew: Bool,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws {
        let title = "\(Table.clean(record.title)) [\(record.id.prefix(8))]"
        Output.lines([isNew ? "Added \(title)." : "Added the code to \(title)."])
        // Showing a counter-based code would use it up.
        if case .hotp = code.kind { return Terminal.note("Its next code: ward code \(record.id.prefix(8))") }
        guard let index = record.codes.indices.last else { return }
        let answer = try await agent.call(ShowCode(authorization: authorization, item: record.id, index: index))
        Output.lines([CodeText.line(answer, Paint(isOn: Paint.isWanted))])
    }
}
