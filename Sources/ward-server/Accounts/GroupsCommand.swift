import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardTerminal
import WardText
import WardWebAuthn

/// `ward-server accounts groups`.
struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "Show or change the groups of an account, by which apps decide what the person may do.",
        discussion: """
            A group exists as long as an account is in it. Apps behind a proxy get the groups in the header field Remote-Groups, \
            clients of OpenID Connect with the scope groups. They see a change with their next request; sessions go on.

            The name of a group has the characters a to z, 0 to 9, -, _ and ., and begins with a letter or a digit.
            """
    )

    @Argument(help: "The user name.")
    var name: String

    @Option(name: .customLong("add"), help: "Add the account to a group. Repeat it for more.")
    var added: [String] = []

    @Option(name: .customLong("remove"), help: "Remove the account from a group. Repeat it for more.")
    var removed: [String] = []

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let (name, added, removed) = (name, try Self.parsed(added), try Self.parsed(removed))
            if let both = added.intersection(removed).min() {
                throw SettingsError("Add the account to \(both), or remove it: not both.")
            }
            let (username, groups, hasChanged) = try await store.write { tx in
                let account = try await tx.account(typed: name)
                let groups = Set(account.groups).union(added).subtracting(removed)
                guard groups.count <= GroupName.maximumCount else {
                    throw SettingsError("An account is in at most \(GroupName.maximumCount) groups.")
                }
                let actions = OperatorActions(effects: .live)
                return (account.username.text, groups, try await actions.setGroups(groups, of: account, in: tx))
            }
            let names = groups.sorted().map(\.text)
            let shown = ShownText.clean(username)
            let json: JSONValue = [
                "username": .string(username), "groups": .array(names.map { .string($0) }),
                "changed": .bool(hasChanged),
            ]
            let line =
                names.isEmpty
                ? "The account \(shown) is in no group."
                : "The account \(shown) is in: \(names.joined(separator: ", "))."
            try options.show(json, [line])
        }
    }

    private static func parsed(_ names: [String]) throws -> Set<GroupName> {
        do {
            return Set(try names.map { try GroupName($0) })
        } catch let error as GroupNameError { throw SettingsError(error.description) }
    }
}
