public import WardWebAuthn

/// Where a ``SoftwareAuthenticator`` keeps passkeys.
///
/// Calls of several requests may overlap. Each call does all it says or, when it throws, nothing.
public protocol CredentialStore: Sendable {
    /// The passkeys of a relying party that can be used now, in any order.
    ///
    /// - Parameters:
    ///   - relyingPartyID: Whom they are for, compared byte for byte.
    ///   - ids: Only these; `nil` means all.
    /// - Returns: Those that are here; names nobody knows are no error.
    /// - Throws: ``CredentialStoreError``.
    func credentials(
        for relyingPartyID: String,
        among ids: [CredentialID]?
    ) async throws(CredentialStoreError) -> [StoredCredential]

    /// Keeps a new passkey and lets go of those it replaces, in one step.
    ///
    /// - Parameters:
    ///   - credential: The new passkey, whose name is new.
    ///   - replaced: Passkeys of the same relying party and account; a store may keep them where a person can bring them back,
    ///     as long as ``credentials(for:among:)`` no longer answers with them. One that is gone by now is no error.
    /// - Throws: ``CredentialStoreError``; then nothing has changed.
    func save(_ credential: StoredCredential, replacing replaced: [CredentialID]) async throws(CredentialStoreError)

    /// Keeps bytes with a passkey, in place of those that were there.
    ///
    /// - Parameters:
    ///   - largeBlob: What the relying party wants kept.
    ///   - id: The passkey.
    ///   - relyingPartyID: Whom it is for.
    /// - Throws: ``CredentialStoreError``; then nothing has changed.
    func write(
        largeBlob: [UInt8],
        of id: CredentialID,
        for relyingPartyID: String
    ) async throws(CredentialStoreError)

    /// Notes that a passkey signed. A failure is not reported to anybody: the sign-in goes on.
    ///
    /// - Parameters:
    ///   - id: The passkey.
    ///   - relyingPartyID: Whom it is for.
    ///   - time: Seconds since 1970.
    /// - Throws: ``CredentialStoreError``, which is ignored.
    func noteUse(
        of id: CredentialID,
        for relyingPartyID: String,
        at time: Int64
    ) async throws(CredentialStoreError)
}

extension CredentialStore {
    /// Notes nothing.
    public func noteUse(
        of id: CredentialID,
        for relyingPartyID: String,
        at time: Int64
    ) async throws(CredentialStoreError) {}
}

/// Why a store does not do what it is asked.
public struct CredentialStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// There is no room for more.
        public static let full = Self(name: "full")
        /// A person must open it first.
        public static let locked = Self(name: "locked")
        /// Anything else.
        public static let failed = Self(name: "failed")
    }

    /// What is wrong.
    public let code: Code
    /// For the log of whoever runs the authenticator, without secrets; no client sees it.
    public let detail: String

    /// Says what is wrong.
    public init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// One line for a log.
    public var description: String { detail.isEmpty ? code.name : "\(code.name): \(detail)" }

    /// Errors are equal if their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
