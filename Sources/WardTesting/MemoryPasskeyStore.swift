internal import Synchronization
public import WardAuthenticator
public import WardCOSE
public import WardCTAP
public import WardWebAuthn

/// Passkeys in memory, for tests of clients and authenticators.
///
/// They are lost when the process ends.
public final class MemoryPasskeyStore: PasskeyStore {
    /// The place of the private keys.
    public enum Keys: Hashable, Sendable, CaseIterable {
        /// The keys are in the store itself, as in a vault.
        case software
        /// The keys are in a device that signs and never releases a key, as a TPM does. They cannot be copied.
        case device
    }

    /// A stored passkey.
    public struct Passkey: Sendable {
        /// The data about the passkey without its secrets.
        public internal(set) var info: PasskeyInfo
        /// The name of the relying party.
        public internal(set) var rpName: String
        /// Whether the passkey was created without a prompt.
        public internal(set) var isUpgrade: Bool
        /// The large blob that the relying party stores with it.
        public internal(set) var largeBlob: [UInt8]?
        /// The key that signs.
        public let key: Key
    }

    /// A key, or the number of a key in a device.
    public struct Key: PasskeyKey {
        fileprivate enum Place: Sendable {
            case here(SoftwarePasskeyKey)
            case device(Device, number: Int)
        }

        /// The public half.
        public let publicKey: COSEKey
        /// Whether the key can compute `hmac-secret`.
        public let hasHMACSecret: Bool
        fileprivate let place: Place

        /// The keys of a device cannot be copied, so they have no backup.
        public var isBackupEligible: Bool { if case .here = place { true } else { false } }

        /// Signs a message.
        public func sign(_ message: [UInt8]) async throws(PasskeyStoreError) -> [UInt8] {
            switch place {
            case .here(let key): try key.sign(message)
            case .device(let device, let number): try await device.sign(message, number)
            }
        }

        /// Computes `hmac-secret`.
        public func hmacSecret(
            of salts: PRFSalts,
            isVerified: Bool
        ) async throws(PasskeyStoreError) -> PRFSalts? {
            switch place {
            case .here(let key): key.hmacSecret(of: salts, isVerified: isVerified)
            case .device(let device, let number): try await device.hmacSecret(salts, number, isVerified)
            }
        }
    }

    /// A device with keys. It has no call that returns a private key.
    fileprivate actor Device {
        private var keys: [SoftwarePasskeyKey] = []

        func take(_ key: SoftwarePasskeyKey) -> Int {
            keys.append(key)
            return keys.count - 1
        }

        func sign(_ message: [UInt8], _ number: Int) throws(PasskeyStoreError) -> [UInt8] {
            try keys[number].sign(message)
        }

        func hmacSecret(_ salts: PRFSalts, _ number: Int, _ isVerified: Bool) throws(PasskeyStoreError) -> PRFSalts? {
            keys[number].hmacSecret(of: salts, isVerified: isVerified)
        }
    }

    private let device: Device?
    private let kept = Mutex<[Passkey]>([])

    /// Starts empty.
    public init(keys: Keys = .software) { device = keys == .device ? Device() : nil }

    /// All data of the store.
    public var passkeys: [Passkey] { kept.withLock { $0 } }

    /// The algorithms for which software can generate keys.
    ///
    /// The device supports the same.
    public var algorithms: [COSEAlgorithmIdentifier] { SoftwarePasskeyKey.algorithms }

    /// Adds a passkey whose private key already exists.
    ///
    /// - Returns: The passkey as it is kept.
    @discardableResult
    public func add(
        _ info: PasskeyInfo,
        _ key: SoftwarePasskeyKey,
        rpName: String = "",
        largeBlob: [UInt8]? = nil
    ) async -> Passkey {
        let passkey = Passkey(
            info: info,
            rpName: rpName,
            isUpgrade: false,
            largeBlob: largeBlob,
            key: await put(key)
        )
        kept.withLock { $0.append(passkey) }
        return passkey
    }

    private func put(_ key: SoftwarePasskeyKey) async -> Key {
        var place = Key.Place.here(key)
        if let device { place = .device(device, number: await device.take(key)) }
        return Key(publicKey: key.publicKey, hasHMACSecret: key.hasHMACSecret, place: place)
    }

    // MARK: For the authenticator

    /// The passkeys of a relying party.
    public func list(for rpID: String, among ids: [CredentialID]?) -> [PasskeyInfo] {
        passkeys.map(\.info).filter { $0.rpID == rpID && ids?.contains($0.id) ?? true }
    }

    /// Draws a key.
    public func makeKey(for passkey: NewPasskey) async throws(PasskeyStoreError) -> Key {
        await put(try SoftwarePasskeyKey(drawing: passkey.algorithm))
    }

    /// Keeps a passkey.
    public func create(_ passkey: NewPasskey, with key: Key, replacing replaced: [CredentialID]) {
        let info = PasskeyInfo(
            id: passkey.id,
            rpID: passkey.rpID,
            userHandle: passkey.userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            algorithm: passkey.algorithm,
            protection: passkey.protection,
            isBackupEligible: key.isBackupEligible,
            createdAt: passkey.createdAt
        )
        kept.withLock { kept in
            kept.removeAll { replaced.contains($0.info.id) }
            kept.append(
                Passkey(info: info, rpName: passkey.rpName, isUpgrade: passkey.isUpgrade, largeBlob: nil, key: key)
            )
        }
    }

    /// Signs with a passkey.
    public func sign(
        _ message: [UInt8],
        with id: CredentialID,
        for rpID: String
    ) async throws(PasskeyStoreError) -> [UInt8] {
        try await passkey(id, rpID).key.sign(message)
    }

    /// Computes `hmac-secret` of a passkey.
    public func hmacSecret(
        of salts: PRFSalts,
        with id: CredentialID,
        for rpID: String,
        isVerified: Bool
    ) async throws(PasskeyStoreError) -> PRFSalts? {
        try await passkey(id, rpID).key.hmacSecret(of: salts, isVerified: isVerified)
    }

    /// The large blob of a passkey.
    public func largeBlob(of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) -> [UInt8]? {
        try passkey(id, rpID).largeBlob
    }

    /// Stores a large blob with a passkey.
    public func write(
        largeBlob: [UInt8],
        of id: CredentialID,
        for rpID: String
    ) async throws(PasskeyStoreError) {
        _ = try passkey(id, rpID)
        kept.withLock { kept in
            for index in kept.indices where kept[index].info.id == id { kept[index].largeBlob = largeBlob }
        }
    }

    private func passkey(_ id: CredentialID, _ rpID: String) throws(PasskeyStoreError) -> Passkey {
        let found = passkeys.first { $0.info.id == id && $0.info.rpID == rpID }
        guard let found else { throw PasskeyStoreError(.missing, "no passkey has this credential ID") }
        return found
    }
}
