internal import Crypto
internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardCOSE
internal import WardText
internal import WardWebAuthn

/// The public keys of passkeys that other managers made through this agent, so that what they sign can be checked.
///
/// A file for its owner alone. It names no site and no credential: a key is found by the hash of its credential's name.
final class ProviderKeys: Sendable {
    /// How many are kept; beyond that a passkey is used without this check, which the service makes anyway.
    static let limit = 10_000

    private let path: String
    private let keys: Mutex<[String: String]?>

    init(path: String) {
        self.path = path
        keys = Mutex(nil)
    }

    /// The key of a credential, if it is known.
    func key(of id: CredentialID, at provider: String) -> COSEKey? {
        keys.withLock { keys in
            let text = load(&keys)[Self.name(id, provider)]
            return text.flatMap { Base64URL.decode($0) }.flatMap { try? COSEKey($0) }
        }
    }

    /// Remembers the key of a new credential; what cannot be written is remembered until the agent ends.
    func remember(_ key: COSEKey, of id: CredentialID, at provider: String) {
        keys.withLock { keys in
            var all = load(&keys)
            guard all.count < Self.limit else { return }
            all[Self.name(id, provider)] = Base64URL.encode(key.encoded)
            keys = all
            try? OwnersFile.write(all, to: path)
        }
    }

    private func load(_ keys: inout [String: String]?) -> [String: String] {
        if let keys { return keys }
        let data = FileManager.default.contents(atPath: path) ?? Data()
        let read = (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
        keys = read
        return read
    }

    private static func name(_ id: CredentialID, _ provider: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(provider.utf8) + [0] + id.bytes)))
    }
}
