import ArgumentParser
import WardAccounts
import WardServer
import WardStoreSQLite
import WardText
import WardWebAuthn

/// `ward-server keys list`.
struct KeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys of the key set by the time when they begin to sign."
    )

    @OptionGroup var options: AccountsOptions

    func run() async throws {
        try await options.withStore { store in
            let keys = IDTokenKeys(try await store.read { try $0.idTokenKeys() }).published(at: Effects.live.now())
            try options.show(.array(keys.map(\.json)), keys.map(\.line))
        }
    }
}

extension IDTokenKey {
    /// The key without its secret.
    var json: JSONValue {
        [
            "kid": .string(id), "alg": .string(algorithm.rawValue), "activeFrom": .string(JSONTime.text(activeFrom)),
            "expiresAt": expiresAt.map { .string(JSONTime.text($0)) } ?? .null,
        ]
    }

    /// Tabs separate the parts, for other programs.
    fileprivate var line: String {
        let end = expiresAt.map { "in the key set until \(JSONTime.text($0))" } ?? "current"
        return "\(id)\t\(algorithm.rawValue)\tsigns from \(JSONTime.text(activeFrom))\t\(end)"
    }
}
