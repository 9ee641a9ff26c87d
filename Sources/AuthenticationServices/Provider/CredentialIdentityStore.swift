public import Foundation

/// The error domain of ``ASCredentialIdentityStoreError``.
public let ASCredentialIdentityStoreErrorDomain = "ASCredentialIdentityStoreErrorDomain"

/// A change of the identity store that failed.
public struct ASCredentialIdentityStoreError: Error, Hashable, Sendable, CustomNSError {
    /// The kind of failure; the numbers are Apple's.
    public enum Code: Int, Sendable {
        /// The store's file cannot be read or written.
        case internalError = 0
        /// ``CredentialProviderExtension/identifier`` is not set, so the store's path is unknown.
        case storeDisabled = 1
        /// Another process is changing the store now.
        ///
        /// Try again.
        case storeBusy = 2
    }

    /// The kind of failure.
    public let code: Code
    /// The numeric code.
    public var errorCode: Int { code.rawValue }
    /// ``ASCredentialIdentityStoreErrorDomain``.
    public static var errorDomain: String { ASCredentialIdentityStoreErrorDomain }

    /// Creates an error.
    public init(_ code: Code) { self.code = code }
}

/// Whether a manager is enabled, and which changes its store accepts.
public final class ASCredentialIdentityStoreState: NSObject, Sendable {
    /// Whether the person turned this manager on (`ward providers enable`).
    public let isEnabled: Bool
    /// Whether single identities can be added and removed.
    ///
    /// Always `true` here.
    public let supportsIncrementalUpdates = true

    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}

/// The list of a manager's credentials, without secrets.
///
/// The agent shows it before the person picks a credential.
///
/// Set ``CredentialProviderExtension/identifier`` first. The store is a file that only its owner can read:
/// `ward-providers/IDENTIFIER/identities.json` in `$XDG_STATE_HOME`. The manager's app writes it, and the manager's extension
/// reads it when the agent asks. The file contains user names, domains, credential IDs and user handles, so the agent can list
/// them even if the manager is locked.
public final class ASCredentialIdentityStore: NSObject, Sendable {
    /// Kinds of identities.
    public struct IdentityTypes: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Takes bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Passwords.
        public static let password = IdentityTypes(rawValue: 1)
        /// Passkeys.
        public static let passkey = IdentityTypes(rawValue: 2)
        /// Verification codes.
        public static let oneTimeCode = IdentityTypes(rawValue: 4)
    }

    /// The store of this manager.
    public static let shared = ASCredentialIdentityStore()

    private var file: CredentialIdentityFile {
        get throws(ASCredentialIdentityStoreError) {
            guard let identifier = CredentialProviderExtension.identifier else {
                throw ASCredentialIdentityStoreError(.storeDisabled)
            }
            return CredentialIdentityFile(identifier: identifier)
        }
    }

    // MARK: State

    /// Reports whether this manager is enabled.
    public func getState(_ completion: (ASCredentialIdentityStoreState) -> Void) {
        completion(ASCredentialIdentityStoreState(isEnabled: CredentialProviderExtension.isEnabled))
    }

    /// Reports whether this manager is enabled.
    public func state() async -> ASCredentialIdentityStoreState {
        ASCredentialIdentityStoreState(isEnabled: CredentialProviderExtension.isEnabled)
    }

    // MARK: Changes

    /// Adds identities.
    ///
    /// An identity that already exists is replaced.
    ///
    /// - Parameters:
    ///   - credentialIdentities: The identities.
    ///   - completion: Gets `true`, or `false` with an ``ASCredentialIdentityStoreError``.
    public func saveCredentialIdentities(
        _ credentialIdentities: [any ASCredentialIdentity],
        completion: ((Bool, (any Error)?) -> Void)?
    ) {
        report(completion) { () throws(ASCredentialIdentityStoreError) in try save(credentialIdentities) }
    }

    /// Adds identities.
    ///
    /// An identity that already exists is replaced.
    ///
    /// - Throws: ``ASCredentialIdentityStoreError``.
    @discardableResult
    public func saveCredentialIdentities(
        _ credentialIdentities: [any ASCredentialIdentity]
    ) async throws(ASCredentialIdentityStoreError) -> Bool {
        try save(credentialIdentities)
        return true
    }

    /// Replaces all identities in the store with these.
    ///
    /// - Parameters:
    ///   - newCredentialIdentities: The identities.
    ///   - completion: Gets `true`, or `false` with an ``ASCredentialIdentityStoreError``.
    public func replaceCredentialIdentities(
        _ newCredentialIdentities: [any ASCredentialIdentity],
        completion: ((Bool, (any Error)?) -> Void)?
    ) {
        report(completion) { () throws(ASCredentialIdentityStoreError) in try replace(newCredentialIdentities) }
    }

    /// Replaces all identities in the store with these.
    ///
    /// - Throws: ``ASCredentialIdentityStoreError``.
    @discardableResult
    public func replaceCredentialIdentities(
        _ newCredentialIdentities: [any ASCredentialIdentity]
    ) async throws(ASCredentialIdentityStoreError) -> Bool {
        try replace(newCredentialIdentities)
        return true
    }

    /// Removes identities.
    ///
    /// - Parameters:
    ///   - credentialIdentities: The identities.
    ///   - completion: Gets `true`, or `false` with an ``ASCredentialIdentityStoreError``.
    public func removeCredentialIdentities(
        _ credentialIdentities: [any ASCredentialIdentity],
        completion: ((Bool, (any Error)?) -> Void)?
    ) {
        report(completion) { () throws(ASCredentialIdentityStoreError) in try remove(credentialIdentities) }
    }

    /// Removes identities.
    ///
    /// - Throws: ``ASCredentialIdentityStoreError``.
    @discardableResult
    public func removeCredentialIdentities(
        _ credentialIdentities: [any ASCredentialIdentity]
    ) async throws(ASCredentialIdentityStoreError) -> Bool {
        try remove(credentialIdentities)
        return true
    }

    /// Removes all identities.
    ///
    /// - Parameter completion: Gets `true`, or `false` with an ``ASCredentialIdentityStoreError``.
    public func removeAllCredentialIdentities(_ completion: ((Bool, (any Error)?) -> Void)?) {
        report(completion) { () throws(ASCredentialIdentityStoreError) in try replace([]) }
    }

    /// Removes all identities.
    ///
    /// - Throws: ``ASCredentialIdentityStoreError``.
    @discardableResult
    public func removeAllCredentialIdentities() async throws(ASCredentialIdentityStoreError) -> Bool {
        try replace([])
        return true
    }

    // MARK: Reading

    /// The identities for a service, or for all services if the parameter is `nil`.
    ///
    /// If the store cannot be read, the result is an empty list.
    public func credentialIdentities(
        forService service: ASCredentialServiceIdentifier?,
        credentialIdentityTypes types: IdentityTypes
    ) async -> [any ASCredentialIdentity] {
        let stored = (try? file.read()) ?? []
        return stored.map(\.identity).filter { identity in
            types.contains(identity.storedKind.type)
                && (service.map { identity.serviceIdentifier.host == $0.host } ?? true)
        }
    }

    private func save(_ identities: [any ASCredentialIdentity]) throws(ASCredentialIdentityStoreError) {
        let added = identities.map { StoredIdentity($0) }
        try file.change { stored in stored.filter { old in !added.contains { $0.isSame(as: old) } } + added }
    }

    private func replace(_ identities: [any ASCredentialIdentity]) throws(ASCredentialIdentityStoreError) {
        try file.change { _ in identities.map { StoredIdentity($0) } }
    }

    private func remove(_ identities: [any ASCredentialIdentity]) throws(ASCredentialIdentityStoreError) {
        let removed = identities.map { StoredIdentity($0) }
        try file.change { stored in stored.filter { old in !removed.contains { $0.isSame(as: old) } } }
    }

    private func report(
        _ completion: ((Bool, (any Error)?) -> Void)?,
        _ body: () throws(ASCredentialIdentityStoreError) -> Void
    ) {
        do {
            try body()
            completion?(true, nil)
        } catch {
            completion?(false, error)
        }
    }
}
