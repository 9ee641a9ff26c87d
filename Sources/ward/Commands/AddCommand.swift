import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// What an item is given, by flags; secrets come from descriptors, files or questions, never from the command line.
struct ItemOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where it belongs: an address or a host; repeatable.", valueName: "address"))
    var site: [String] = []
    @Option(help: ArgumentHelp("How its sites match: domain, host, exact or never.", valueName: "how"))
    var match: String?
    @Option(help: ArgumentHelp("The name to sign in with.", valueName: "name"))
    var username: String?
    @Flag(help: "Ask for the password on the terminal.")
    var password = false
    @Option(
        name: .customLong("password-fd"),
        help: ArgumentHelp("Read the password from this file descriptor.", valueName: "n")
    )
    var passwordDescriptor: Int32?
    @Flag(help: "Make a new random password.")
    var generate = false
    @Option(help: ArgumentHelp("How long a password that is made is, 8 to 128.", valueName: "characters"))
    var length = 20
    @Flag(help: "Make a password of letters and digits alone.")
    var noSymbols = false
    @Option(
        name: .customLong("otpauth"),
        help: ArgumentHelp(
            "A file with an otpauth:// link, or a picture of its QR code; - for standard input.",
            valueName: "file"
        )
    )
    var code: [String] = []
    @Option(help: ArgumentHelp("A word to find it by; repeatable.", valueName: "word"))
    var tag: [String] = []
    @Option(help: ArgumentHelp("A file with notes; - for standard input.", valueName: "file"))
    var notes: String?
    @Option(help: ArgumentHelp("A field: label=value; repeatable.", valueName: "label=value"))
    var field: [String] = []
    @Option(
        name: .customLong("secret-field"),
        help: ArgumentHelp("A hidden field, asked for on the terminal; repeatable.", valueName: "label")
    )
    var secretField: [String] = []
    @Option(
        name: .customLong("secret-field-fd"),
        help: ArgumentHelp("A hidden field, read from a file descriptor: label=n; repeatable.", valueName: "label=n")
    )
    var secretFieldDescriptor: [String] = []
    @Flag(inversion: .prefixedNo, help: "List it first.")
    var favorite: Bool?

    func validate() throws {
        guard (8...128).contains(length) else { throw ValidationError("--length is 8 to 128.") }
        guard [password, passwordDescriptor != nil, generate].count(where: { $0 }) <= 1 else {
            throw ValidationError("--password, --password-fd and --generate are three ways to the one password.")
        }
    }

    /// The same as a change.
    func change() throws -> ItemChange {
        var change = ItemChange()
        change.username = username
        change.addSites = site
        change.match = match
        change.addTags = tag
        change.isFavorite = favorite
        if password { change.password = String(decoding: try Question.secret("Password: "), as: UTF8.self) }
        if let passwordDescriptor {
            change.password = try AgentOptions.readLine(passwordDescriptor, "--password-fd \(passwordDescriptor)")
        }
        if generate { change.password = RandomPassword.make(length: length, symbols: !noSymbols) }
        for source in code { change.addCodes += try CodeSource.links(source) }
        if let notes { change.notes = try Text.read(notes) }
        for text in field {
            let parts = try Self.pair(text, "--field")
            change.fields.append(.init(label: parts.0, value: parts.1))
        }
        for label in secretField {
            let value = String(decoding: try Question.secret("\(label): "), as: UTF8.self)
            change.fields.append(.init(label: label, value: value, isConcealed: true))
        }
        for text in secretFieldDescriptor {
            let parts = try Self.pair(text, "--secret-field-fd")
            guard let descriptor = Int32(parts.1) else { throw Failure(.usage, "--secret-field-fd is label=n") }
            let value = try AgentOptions.readLine(descriptor, "--secret-field-fd \(text)")
            change.fields.append(.init(label: parts.0, value: value, isConcealed: true))
        }
        return change
    }

    private static func pair(_ text: String, _ flag: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { throw Failure(.usage, "\(flag) is label=value") }
        return (parts[0], parts[1])
    }
}

/// Puts something in.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an item.",
        discussion: """
            Secrets never stand on the command line, where every program sees them: they are asked for (--password), made \
            (--generate), or read from a descriptor or a file.

            ward add Example --site https://example.com --username alice --generate
            ward add --codes transfer.png     adds an item for each code of a transfer between phones
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("What you call it.", valueName: "title"))
    var title: String?
    @Option(help: ArgumentHelp("login, note, card, identity, wifi, ssh-key or api-key.", valueName: "kind"))
    var kind = "login"
    @OptionGroup var item: ItemOptions
    @Option(
        help: ArgumentHelp(
            "Add an item for each code in these: files with links, or pictures of QR codes; repeatable.",
            valueName: "file"
        )
    )
    var codes: [String] = []

    func validate() throws {
        guard (title == nil) != codes.isEmpty else { throw ValidationError("A title is needed, or --codes.") }
        guard ItemKind.known.contains(ItemKind(rawValue: kind)) else {
            throw ValidationError("--kind is login, note, card, identity, wifi, ssh-key or api-key.")
        }
    }

    func run() async throws {
        let authorization = try options.authorization()
        guard let title else { return try await addCodes(authorization) }
        var change = try item.change()
        change.title = title
        let method = AddItem(authorization: authorization, kind: kind, change: change)
        try await options.withAgent { agent in
            let added = try await agent.call(method)
            if options.json { return try Output.json(added) }
            Output.lines(["Added \(added.title) [\(added.id.prefix(8))]."])
            if item.generate { Terminal.note("Its password: ward show \(added.id.prefix(8)) --copy") }
        }
    }

    private func addCodes(_ authorization: Authorization) async throws {
        let links = try codes.flatMap { try CodeSource.links($0) }
        let methods = try links.map { link in
            let code = try CodeSource.code(link)
            var change = ItemChange()
            change.title = code.issuer.isEmpty ? (code.account.isEmpty ? "Code" : code.account) : code.issuer
            change.username = code.account
            change.addCodes = [link]
            change.addTags = item.tag
            return AddItem(authorization: authorization, change: change)
        }
        try await options.withAgent { agent in
            var added: [ItemRecord] = []
            for method in methods { added.append(try await agent.call(method)) }
            if options.json { return try Output.json(added) }
            Output.lines(
                added.map { "Added \($0.title)\($0.username.isEmpty ? "" : " (\($0.username))") [\($0.id.prefix(8))]." }
            )
        }
    }
}

/// Changes something.
struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change an item; what is not named stays, and the state before stays in its history."
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Which item.", valueName: "item"))
    var item: [String]
    @Option(help: ArgumentHelp("Another title.", valueName: "title"))
    var title: String?
    @OptionGroup var changes: ItemOptions
    @Option(help: ArgumentHelp("A site to remove; repeatable.", valueName: "address"))
    var removeSite: [String] = []
    @Option(help: ArgumentHelp("A tag to remove; repeatable.", valueName: "word"))
    var removeTag: [String] = []
    @Option(help: ArgumentHelp("A code to remove, counted from 0; repeatable.", valueName: "n"))
    var removeCode: [Int] = []
    @Option(help: ArgumentHelp("A field to remove; repeatable.", valueName: "label"))
    var removeField: [String] = []
    @Flag(help: "Remove the password.")
    var removePassword = false

    func run() async throws {
        let authorization = try options.authorization()
        var change = try changes.change()
        change.title = title
        change.removeSites = removeSite
        change.removeTags = removeTag
        change.removeCodes = removeCode
        change.fields += removeField.map { .init(label: $0, value: nil) }
        if removePassword { change.password = "" }
        let method = EditItem(authorization: authorization, item: item.joined(separator: " "), change: change)
        try await options.withAgent { agent in
            let edited = try await agent.call(method)
            if options.json { return try Output.json(edited) }
            Output.lines(["Changed \(edited.title) [\(edited.id.prefix(8))]."])
        }
    }
}

/// Text that a person names by a file.
enum Text {
    static func read(_ source: String) throws -> String {
        let data: Data?
        if source == "-" {
            data = try FileHandle.standardInput.readToEnd()
        } else {
            do { data = try Data(contentsOf: URL(fileURLWithPath: source)) } catch {
                throw Failure(.usage, "\(source) cannot be read")
            }
        }
        guard let text = String(validating: data ?? Data(), as: UTF8.self) else {
            throw Failure(.usage, "\(source) is no text in UTF-8")
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

/// Where links of verification codes come from: text, or a picture of a QR code.
enum CodeSource {
    /// The `otpauth` links in a file or in a picture, those of a transfer between phones one by one.
    static func links(_ source: String) throws -> [String] {
        let texts: [String]
        if source != "-", isPicture(source) {
            texts = try QRReader.texts(at: source)
        } else {
            texts = try Text.read(source).split(whereSeparator: \.isNewline).map(String.init)
        }
        var links: [String] = []
        for text in texts {
            if text.lowercased().hasPrefix("otpauth-migration:") {
                let batch: OneTimePasswordBatch
                do { batch = try OneTimePasswordBatch(text) } catch { throw Failure(.usage, "\(source): \(error)") }
                links += batch.codes.map(\.link)
                for refused in batch.refused {
                    Terminal.note("Left out \(Table.clean(refused.name)): \(refused.reason)")
                }
                if batch.count > 1 { Terminal.note("This is part \(batch.index + 1) of \(batch.count) of a transfer.") }
            } else if text.lowercased().hasPrefix("otpauth:") {
                links.append(text)
            }
        }
        guard !links.isEmpty else { throw Failure(.usage, "\(source) has no otpauth link") }
        return links
    }

    /// A link read, for its names.
    static func code(_ link: String) throws -> OneTimePassword {
        do { return try OneTimePassword(link) } catch {
            throw Failure(.usage, "this is no verification code: \(error)")
        }
    }

    /// Pictures begin with bytes that no text has.
    private static func isPicture(_ path: String) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path), let head = try? handle.read(upToCount: 12) else {
            return false
        }
        let bytes = Array(head)
        return bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) || bytes.starts(with: [0xff, 0xd8, 0xff])
            || bytes.starts(with: Array("GIF8".utf8))
            || (bytes.starts(with: Array("RIFF".utf8)) && bytes.suffix(4) == Array("WEBP".utf8)[...])
    }
}
