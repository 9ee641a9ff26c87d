import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Adds an item.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an item.",
        discussion: """
            Every program can read the command line, so no option contains a secret. ward asks for secrets (--password), \
            generates them (--generate), or reads them from a file descriptor or a file.

            ward add Example --site https://example.com --username alice --generate

            If there is an item of the same site and user name, and no other password in it, it gets what you add. With --apart \
            it stays as it is.

            To add an item for each code that a phone exports as a QR code:

            ward add --codes transfer.png

            Fields that belong to a kind, for --field and --secret-field. Other labels are fields of your own.

            \(ItemKindOption.fields)
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("Title of the item.", valueName: "title"))
    var title: String?
    @Option(help: ArgumentHelp("Kind: \(ItemKindOption.list).", valueName: "kind"))
    var kind = "login"
    @OptionGroup var item: ItemOptions
    @Flag(help: "Add a new item, also if there is one of the same account.")
    var apart = false
    @Option(
        help: ArgumentHelp(
            "File with otpauth:// links, or picture of a QR code. It adds an item for each code; repeatable.",
            valueName: "file"
        )
    )
    var codes: [String] = []

    func validate() throws {
        guard (title == nil) != codes.isEmpty else { throw ValidationError("Give the item a title, or use --codes.") }
        try ItemKindOption.check(kind)
    }

    func run() async throws {
        let authorization = try options.authorization()
        guard let title else { return try await addCodes(authorization) }
        var change = try item.change()
        change.title = title
        let method = AddItem(
            authorization: authorization,
            kind: kind,
            change: change,
            isApart: apart ? true : nil
        )
        try await options.withAgent { agent in
            let added = try await agent.call(method)
            if options.json { return try Output.json(added) }
            let name = "\(added.title) [\(added.id.prefix(8))]"
            if added.isJoined == true {
                Output.lines([CommandHints.here("Added to \(name), the same account. To undo: ward merge --undo")])
            } else {
                Output.lines(["Added \(name)."])
            }
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
