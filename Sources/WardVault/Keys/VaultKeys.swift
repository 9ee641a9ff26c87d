internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// The keys of an open vault, one per epoch, in locked memory.
///
/// A new epoch begins if a person or device with the current keys must not get the next ones. Items record their epoch.
struct VaultKeys: Sendable {
    private let keys: [UInt64: LockedBytes]
    /// The epoch for new revisions.
    let current: UInt64

    /// Creates the first key of a new vault.
    init(randomBytes: (Int) -> [UInt8]) throws(VaultError) {
        var drawn = randomBytes(Self.keyLength)
        defer { drawn.wipe() }
        guard drawn.count == Self.keyLength else { throw VaultError(.unavailable, "the system has no random bytes") }
        keys = [0: try LockedBytes(drawn)]
        current = 0
    }

    /// Reads the content of an envelope: a CBOR map from epochs to keys.
    init(bundle: Data, current: UInt64) throws(VaultError) {
        guard let value = try? CBORValue.decode([UInt8](bundle)), let pairs = value.mapValue else {
            throw VaultError(.damaged, "an envelope contains no keys")
        }
        var keys: [UInt64: LockedBytes] = [:]
        for pair in pairs {
            guard case .unsigned(let epoch) = pair.key, let key = pair.value.bytesValue, key.count == Self.keyLength
            else {
                throw VaultError(.damaged, "an envelope contains no keys")
            }
            keys[epoch] = try LockedBytes(key)
        }
        try self.init(keys, current: current)
    }

    /// Takes keys by their epochs.
    ///
    /// - Throws: ``VaultError`` with `damaged` if the key of the first or of the current epoch is missing.
    init(_ keys: [UInt64: LockedBytes], current: UInt64) throws(VaultError) {
        guard keys[0] != nil, keys[current] != nil else {
            throw VaultError(.damaged, "the encrypted keys of the vault are incomplete")
        }
        self.keys = keys
        self.current = current
    }

    /// The keys by their epochs.
    var byEpoch: [UInt64: LockedBytes] { keys }

    /// The content of an envelope.
    func bundle() -> Data {
        var pairs = keys.map { CBORPair(key: .unsigned($0.key), value: .bytes($0.value.copy)) }
        defer { pairs.removeAll() }
        return Data(CBORValue.map(pairs).encoded())
    }

    /// The key of an epoch.
    func key(_ epoch: UInt64) throws(VaultError) -> SymmetricKey {
        guard let key = keys[epoch] else {
            throw VaultError(
                .unknownVersion,
                "a revision is encrypted with the key of epoch \(epoch), which this vault does not have"
            )
        }
        return key.symmetricKey
    }

    /// Derives a key for one purpose from the current epoch's key.
    func derive(_ label: String, salt: [UInt8], context: [UInt8] = []) throws(VaultError) -> SymmetricKey {
        try key(current).derive(label, salt: salt, context: context)
    }

    /// Computes the authentication code of a header, so that the header is bound to these keys.
    ///
    /// AES-GCM alone does not bind it.
    func commitment(_ vault: VaultID) throws(VaultError) -> [UInt8] {
        try derive("ward/v1/commitment", salt: vault.bytes).published
    }

    /// The key that admits devices.
    ///
    /// Every person who can open the vault can use it.
    func authority(nonce: [UInt8]) throws(VaultError) -> SigningSeed {
        let seed = try key(0).derive("ward/v1/authority", salt: nonce, context: [])
        var bytes = unsafe seed.withUnsafeBytes { unsafe Array($0) }
        return try SigningSeed(wiping: &bytes)
    }

    static let keyLength = 32
}

/// An Ed25519 private key in locked memory.
struct SigningSeed: Sendable {
    private let seed: LockedBytes
    /// The public half, 32 bytes.
    let publicKey: [UInt8]

    /// Copies 32 bytes, and wipes the caller's copy of them.
    init(wiping bytes: inout [UInt8]) throws(VaultError) {
        defer { bytes.wipe() }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw VaultError(.damaged, "a signing key must have 32 bytes")
        }
        publicKey = [UInt8](key.publicKey.rawRepresentation)
        seed = try LockedBytes(bytes)
    }

    /// The private key.
    ///
    /// The caller must encrypt it at once.
    var bytes: [UInt8] { seed.copy }

    /// Signs a message (RFC 8032).
    func sign(_ message: [UInt8]) throws(VaultError) -> [UInt8] {
        do {
            let key = try unsafe seed.withBytes { bytes in
                unsafe try Curve25519.Signing.PrivateKey(rawRepresentation: Data(bytes))
            }
            return [UInt8](try key.signature(for: message))
        } catch {
            throw VaultError(.unavailable, "Ed25519 signing failed")
        }
    }
}
