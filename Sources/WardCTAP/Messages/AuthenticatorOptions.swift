internal import WardCBOR

/// The options of an authenticator: absent means not supported, false means supported but not set up, true means ready.
///
/// Unknown options are kept. CTAP 2.3, section 6.4, Option IDs.
public struct AuthenticatorOptions: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The identifier of an option.
    public struct Identifier: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The wire value.
        public let rawValue: String
        /// Creates a value from any string.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a value from any string.
        public init(stringLiteral value: String) { rawValue = value }

        /// The authenticator is part of the client's device.
        public static let platformDevice: Self = "plat"
        /// Stores discoverable credentials.
        public static let residentKey: Self = "rk"
        /// Has a PIN.
        public static let clientPIN: Self = "clientPin"
        /// The authenticator can detect user presence.
        ///
        /// If the option is absent, it counts as true.
        public static let userPresence: Self = "up"
        /// The authenticator has built-in user verification.
        public static let userVerification: Self = "uv"
        /// Issues tokens.
        public static let pinUVAuthToken: Self = "pinUvAuthToken"
        /// The authenticator does not issue tokens for creating and using credentials in exchange for a PIN.
        public static let noMcGaPermissionsWithClientPin: Self = "noMcGaPermissionsWithClientPin"
        /// Stores large blobs.
        public static let largeBlobs: Self = "largeBlobs"
        /// Supports enterprise attestation.
        public static let enterpriseAttestation: Self = "ep"
        /// The authenticator enrolls fingerprints and faces.
        public static let bioEnroll: Self = "bioEnroll"
        /// The authenticator issues tokens for enrollment after built-in verification.
        public static let uvBioEnroll: Self = "uvBioEnroll"
        /// Supports configuration.
        public static let authenticatorConfig: Self = "authnrCfg"
        /// The authenticator issues tokens for configuration after built-in verification.
        public static let uvAuthenticatorConfig: Self = "uvAcfg"
        /// The authenticator lists and deletes credentials.
        public static let credentialManagement: Self = "credMgmt"
        /// The authenticator lists credentials with a persistent token.
        public static let persistentCredentialManagementReadOnly: Self = "perCredMgmtRO"
        /// The authenticator supports setting a minimum PIN length.
        public static let setMinPINLength: Self = "setMinPINLength"
        /// The authenticator creates non-discoverable credentials without verification.
        public static let makeCredUvNotRequired: Self = "makeCredUvNotRqd"
        /// Always requires verification.
        public static let alwaysUv: Self = "alwaysUv"
    }

    private var pairs: [CBORPair]

    /// Creates an empty set.
    public init() { pairs = [] }

    /// Creates a set from pairs.
    public init(dictionaryLiteral elements: (Identifier, Bool)...) {
        pairs = []
        for (identifier, isOn) in elements { self[identifier] = isOn }
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        guard case .map(let pairs) = value else { throw .cborUnexpectedType }
        for pair in pairs {
            guard case .text = pair.key, case .bool = pair.value else { throw .cborUnexpectedType }
        }
        self.pairs = pairs
    }

    /// One option; setting `nil` removes it.
    public subscript(identifier: Identifier) -> Bool? {
        get { pairs.first { $0.key == .text(identifier.rawValue) }?.value.boolValue }
        set {
            pairs.removeAll { $0.key == .text(identifier.rawValue) }
            guard let newValue else { return }
            pairs.append(CBORPair(key: .text(identifier.rawValue), value: .bool(newValue)))
        }
    }

    /// The map, or `nil` if it is empty.
    var value: CBORValue? { pairs.isEmpty ? nil : .map(pairs) }

    /// Options are equal if their canonical forms are; the order does not matter.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.value?.encoded() == rhs.value?.encoded() }
    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(value?.encoded()) }
}
