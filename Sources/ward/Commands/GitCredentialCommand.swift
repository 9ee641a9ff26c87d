import ArgumentParser
import Foundation
import WardAgentClient

/// Git's credential helper.
struct GitCredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git-credential",
        abstract: "Give Git the passwords of sites. Git runs this command as git-credential-ward.",
        discussion: """
            Use ward for all sites:

            git config --global credential.helper ward

            Use the vault named work for one site:

            git config --global credential.https://work.example.helper 'ward --vault work'

            git-credential-ward must be in the same folder as ward. Git gets a password only for the site of the item that has \
            the password, and only over https, unless the site begins with http://. If several accounts of a site have a \
            password, tell Git which account to use: git config --global credential.https://example.com.username ada. If a \
            server refuses a password, ward keeps the password.
            """,
        shouldDisplay: false
    )

    @OptionGroup var options: AgentOptions
    @Argument(help: ArgumentHelp("The action: get, store or erase. Git chooses it.", valueName: "action"))
    var action: String

    /// The arguments of the command, if the program was started as `git-credential-ward`.
    static func words(_ arguments: [String]) -> [String]? {
        guard arguments.first?.split(separator: "/").last == "git-credential-ward" else { return nil }
        return ["git-credential"] + arguments.dropFirst()
    }

    func run() async throws {
        // Credential helpers must accept actions of later versions of Git and ignore them.
        guard ["get", "store", "erase"].contains(action) else { return }
        guard let asked = try GitCredential(TextFile.read("-")) else { return }
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let items = try await matching(asked, authorization, agent)
            switch action {
            case "get": try answer(asked, items)
            case "store": try await store(asked, items, authorization, agent)
            default: refuse(asked, items)
            }
        }
    }

    /// The items of the site that have a password.
    ///
    /// If Git sends a user name, only items with this user name.
    private func matching(
        _ asked: GitCredential,
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws -> [ItemRecord] {
        let list = ListItems(authorization: authorization, site: asked.address)
        var items: [ItemRecord] = []
        for summary in try await agent.call(list).items where summary.hasPassword && summary.isDamaged != true {
            guard asked.username == nil || asked.username == summary.username else { continue }
            guard asked.isSecure || summary.sites.contains(where: { $0.lowercased().hasPrefix("http://") }) else {
                continue
            }
            items.append(try await agent.call(GetItem(authorization: authorization, item: summary.id, reveal: true)))
        }
        return items
    }

    private func answer(_ asked: GitCredential, _ items: [ItemRecord]) throws {
        guard items.count <= 1 else {
            let names = items.map(\.username).joined(separator: ", ")
            return Terminal.note(
                "ward has several accounts for \(asked.host): \(names). Name one: "
                    + "git config --global credential.\(asked.address).username NAME"
            )
        }
        guard let item = items.first, let password = item.password?.value else { return }
        guard ![item.username, password].contains(where: { $0.contains("\n") || $0.utf8.contains(0) }) else {
            throw Failure(.usage, "\(item.title) has a line break in its password, and Git does not support that")
        }
        let username = item.username.isEmpty ? "" : "username=\(item.username)\n"
        Output.raw(username + "password=\(password)\n")
    }

    /// Saves a password that a server accepted, unless the vault already has it.
    private func store(
        _ asked: GitCredential,
        _ items: [ItemRecord],
        _ authorization: Authorization,
        _ agent: AgentClient
    ) async throws {
        guard let username = asked.username, let password = asked.password, !password.isEmpty else { return }
        guard !items.contains(where: { $0.password?.value == password }) else { return }
        var change = ItemChange()
        change.password = password
        if items.count == 1, let item = items.first {
            _ = try await agent.call(EditItem(authorization: authorization, item: item.id, change: change))
            return Terminal.note(
                "ward changed the password of \(item.title). Undo: ward restore \(item.id.prefix(8)) --revision N"
            )
        }
        guard items.isEmpty else { return }
        change.title = asked.host
        change.username = username
        change.addSites = [asked.address]
        let added = try await agent.call(AddItem(authorization: authorization, change: change))
        Terminal.note("ward saved the password of \(username) at \(asked.host) [\(added.id.prefix(8))].")
    }

    /// Reports the password that a server refused.
    private func refuse(_ asked: GitCredential, _ items: [ItemRecord]) {
        for item in items where item.password?.value == asked.password && asked.password != nil {
            Terminal.note(
                "\(asked.host) refused the password of \(item.title). Change it: ward edit \(item.id.prefix(8)) --password"
            )
        }
    }
}
