internal import Synchronization
public import WardAuthenticator
public import WardCOSE
public import WardCTAP
public import WardWebAuthn

/// Passkeys in memory, for tests of clients and authenticators; nothing survives the process.
public final class MemoryPasskeyStore: PasskeyStore {
    /// Where the keys are.
    public enum Keys: Hashable, Sendable, CaseIterable {
        /// In the store itself, as a vault has them.
        case software
        /// In a device that signs and gives no key out, as a TPM does. Nobody can copy them.
        case device
    }

    /// A passkey that is kept.
    public struct Passkey: Sendable {
        /// What the store says of it.
        public internal(set) var info: PasskeyInfo
        /// What the relying party calls itself.
        public internal(set) var rpName: String
        /// Whether nobody was asked when it was made.
        public internal(set) var isUpgrade: Bool
        /// What the relying party keeps with it.
        public internal(set) var largeBlob: [UInt8]?
        /// The key, which signs.
        public let key: Key
    }

    /// A key, or the number of one that a device has.
    public struct Key: PasskeyKey {
        fileprivate enum Place: Sendable {
            case here(SoftwarePasskeyKey)
            case device(Device, number: Int)
        }

        /// The public half.
        public let publicKey: COSEKey
        /// Whether it computes `hmac-secret`.
        public let hasHMACSecret: Bool
        fileprivate let place: Place

        /// A device's keys cannot be copied.
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

    /// Keeps keys, and has no call that gives one out.
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

    /// All that is kept.
    public var passkeys: [Passkey] { kept.withLock { $0 } }

    /// What software draws keys for; the device does the same.
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

    /// The bytes that are kept with a passkey.
    public func largeBlob(of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) -> [UInt8]? {
        try passkey(id, rpID).largeBlob
    }

    /// Keeps bytes with a passkey.
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
        guard let found else { throw PasskeyStoreError(.missing, "there is no such passkey") }
        return found
    }
}
