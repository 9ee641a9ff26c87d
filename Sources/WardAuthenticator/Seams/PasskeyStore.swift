public import WardCOSE
public import WardCTAP
public import WardText
public import WardWebAuthn

/// The store of a ``SoftwareAuthenticator``.
///
/// It stores passkeys and signs with them.
///
/// No private key leaves the store: the store generates keys, signs and computes `hmac-secret` itself. So keys may be in a
/// vault, in a TPM, or in any other device that does not give them out. The authenticator calls ``list(for:among:)`` before it
/// asks the person, and all other methods after the person agreed. The one exception is the silent pre-flight of
/// ``SoftwareAuthenticator/getAssertion(_:in:)``.
///
/// Calls of several requests can overlap. A call that throws must not have changed anything.
public protocol PasskeyStore: Sendable {
    /// A new key that is not stored yet.
    associatedtype NewKey: PasskeyKey

    /// The algorithms for which the store can generate keys, the preferred one first.
    var algorithms: [COSEAlgorithmIdentifier] { get async }

    /// The passkeys of a relying party that can be used now, in any order.
    ///
    /// It is called before the person is asked, so it must not decrypt a secret.
    ///
    /// - Parameters:
    ///   - rpID: The relying party, compared byte for byte.
    ///   - ids: Only these; `nil` means all.
    /// - Returns: Those that are here. An unknown credential ID is not an error.
    /// - Throws: ``PasskeyStoreError``.
    func list(for rpID: String, among ids: [CredentialID]?) async throws(PasskeyStoreError) -> [PasskeyInfo]

    /// Generates a key for a new passkey. It is stored only by ``create(_:with:replacing:)``.
    ///
    /// - Parameter passkey: What the passkey will be; its algorithm is one of ``algorithms``.
    /// - Returns: The key, which signs the attestation. The authenticator drops it where the ceremony fails.
    /// - Throws: ``PasskeyStoreError``.
    func makeKey(for passkey: NewPasskey) async throws(PasskeyStoreError) -> NewKey

    /// Stores a new passkey and removes the passkeys that it replaces, in one step.
    ///
    /// - Parameters:
    ///   - passkey: The passkey. Its credential ID is new.
    ///   - key: Its key, as ``makeKey(for:)`` returned it.
    ///   - replaced: Passkeys of the same relying party, account and algorithm. A store may keep them where a person can restore
    ///     them, as long as ``list(for:among:)`` no longer returns them. One that is gone by now is not an error.
    /// - Throws: ``PasskeyStoreError``; then nothing has changed.
    func create(
        _ passkey: NewPasskey,
        with key: NewKey,
        replacing replaced: [CredentialID]
    ) async throws(PasskeyStoreError)

    /// Signs a message with a passkey.
    ///
    /// - Parameters:
    ///   - message: What is signed: authenticator data and the hash of the client data.
    ///   - id: The passkey.
    ///   - rpID: The relying party it is for.
    /// - Returns: The signature; for ECDSA in DER, as WebAuthn has it.
    /// - Throws: ``PasskeyStoreError``.
    func sign(
        _ message: [UInt8],
        with id: CredentialID,
        for rpID: String
    ) async throws(PasskeyStoreError) -> [UInt8]

    /// Computes `hmac-secret` of a passkey: HMAC-SHA-256 of each salt.
    ///
    /// CTAP 2.3, section 12.5.
    ///
    /// - Parameters:
    ///   - salts: One or two salts.
    ///   - id: The passkey.
    ///   - rpID: The relying party it is for.
    ///   - isVerified: Whether the person was verified; a second secret answers where they were not.
    /// - Returns: One result for each salt; `nil` where the passkey has no secret for this case.
    /// - Throws: ``PasskeyStoreError``.
    func hmacSecret(
        of salts: PRFSalts,
        with id: CredentialID,
        for rpID: String,
        isVerified: Bool
    ) async throws(PasskeyStoreError) -> PRFSalts?

    /// The large blob of a passkey: bytes that the relying party stores with it.
    ///
    /// - Parameters:
    ///   - id: The passkey.
    ///   - rpID: The relying party it is for.
    /// - Returns: The bytes; `nil` where it keeps none.
    /// - Throws: ``PasskeyStoreError``.
    func largeBlob(of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) -> [UInt8]?

    /// Stores a large blob with a passkey, and replaces an earlier one.
    ///
    /// - Parameters:
    ///   - largeBlob: What the relying party wants kept.
    ///   - id: The passkey.
    ///   - rpID: The relying party it is for.
    /// - Throws: ``PasskeyStoreError``; then nothing has changed.
    func write(largeBlob: [UInt8], of id: CredentialID, for rpID: String) async throws(PasskeyStoreError)

    /// Records that a passkey was used. An error is ignored, and the sign-in goes on.
    ///
    /// - Parameters:
    ///   - id: The passkey.
    ///   - rpID: The relying party it is for.
    ///   - time: Seconds since 1970.
    /// - Throws: ``PasskeyStoreError``, which is ignored.
    func noteUse(of id: CredentialID, for rpID: String, at time: Int64) async throws(PasskeyStoreError)
}

extension PasskeyStore {
    /// Keeps no bytes.
    public func largeBlob(of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) -> [UInt8]? { nil }

    /// Throws, so that the page learns that nothing was written.
    public func write(largeBlob: [UInt8], of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) {
        throw PasskeyStoreError(.failed, "this store does not support large blobs")
    }

    /// Notes nothing.
    public func noteUse(of id: CredentialID, for rpID: String, at time: Int64) async throws(PasskeyStoreError) {}
}

/// The reason why a call of a store failed.
public struct PasskeyStoreError: CodedError {
    /// The kind of error.
    ///
    /// Minor releases may add codes.
    public struct Code: ErrorCode {
        /// A stable name for logs.
        public let name: String

        /// The store has no room for another passkey.
        public static let full = Self(name: "full")
        /// The store is locked.
        ///
        /// A person must open it first.
        public static let locked = Self(name: "locked")
        /// The store does not have this passkey, or no longer has it.
        public static let missing = Self(name: "missing")
        /// Anything else.
        public static let failed = Self(name: "failed")
    }

    /// What is wrong.
    public let code: Code
    /// Details for a log, without secrets; no client sees them.
    public let detail: String

    /// The code of the error, as text.
    public init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
