internal import Crypto
internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardCOSE
internal import WardText
internal import WardWebAuthn

/// The public keys of passkeys that other managers created through this agent.
///
/// With them the agent can check the managers' signatures.
///
/// A file that only its owner can read. It contains no sites and no credential IDs: a key is found by the hash of its
/// credential ID.
final class ProviderKeys: Sendable {
    /// The maximum number of keys.
    ///
    /// If a key is missing, the agent does not check the signature. The service checks it in any case.
    static let limit = 10_000

    private let path: String
    private let keys: Mutex<[String: String]?>

    init(path: String) {
        self.path = path
        keys = Mutex(nil)
    }

    /// The public key of a credential, if it is known.
    func key(of id: CredentialID, at provider: String) -> COSEKey? {
        keys.withLock { keys in
            let text = load(&keys)[Self.name(id, provider)]
            return text.flatMap { Base64URL.decode($0) }.flatMap { try? COSEKey($0) }
        }
    }

    /// Records the public key of a new credential.
    ///
    /// If the file cannot be written, the key is remembered until the agent ends.
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
