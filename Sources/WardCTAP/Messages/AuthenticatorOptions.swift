internal import WardCBOR

/// What an authenticator does, and whether it is set up to do it: absent means never, false not now, true yes.
///
/// Unknown options are kept. CTAP 2.3, section 6.4, Option IDs.
public struct AuthenticatorOptions: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The name of an option on the wire.
    public struct Identifier: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The wire value.
        public let rawValue: String
        /// Creates a value from any string.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a value from any string.
        public init(stringLiteral value: String) { rawValue = value }

        /// Part of the client's device.
        public static let platformDevice: Self = "plat"
        /// Keeps discoverable credentials.
        public static let residentKey: Self = "rk"
        /// Has a PIN.
        public static let clientPIN: Self = "clientPin"
        /// Can tell that somebody is there; true where absent.
        public static let userPresence: Self = "up"
        /// Verifies persons by its own means.
        public static let userVerification: Self = "uv"
        /// Gives out tokens.
        public static let pinUVAuthToken: Self = "pinUvAuthToken"
        /// Gives no token with the right to make and use credentials for a PIN.
        public static let noMcGaPermissionsWithClientPin: Self = "noMcGaPermissionsWithClientPin"
        /// Keeps an array of large blobs.
        public static let largeBlobs: Self = "largeBlobs"
        /// Attests enterprise-wise.
        public static let enterpriseAttestation: Self = "ep"
        /// Enrols fingers and faces.
        public static let bioEnroll: Self = "bioEnroll"
        /// Gives out tokens for enrolment by built-in verification.
        public static let uvBioEnroll: Self = "uvBioEnroll"
        /// Takes settings.
        public static let authenticatorConfig: Self = "authnrCfg"
        /// Gives out tokens for settings by built-in verification.
        public static let uvAuthenticatorConfig: Self = "uvAcfg"
        /// Lists and deletes credentials.
        public static let credentialManagement: Self = "credMgmt"
        /// Lists credentials with a token that lasts.
        public static let persistentCredentialManagementReadOnly: Self = "perCredMgmtRO"
        /// Takes a shortest length of PINs.
        public static let setMinPINLength: Self = "setMinPINLength"
        /// Makes credentials without verification, unless they are to be discoverable.
        public static let makeCredUvNotRequired: Self = "makeCredUvNotRqd"
        /// Verifies always.
        public static let alwaysUv: Self = "alwaysUv"
    }

    private var pairs: [CBORPair]

    /// None.
    public init() { pairs = [] }

    /// Those given.
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

    /// One option; setting `nil` takes it out.
    public subscript(identifier: Identifier) -> Bool? {
        get { pairs.first { $0.key == .text(identifier.rawValue) }?.value.boolValue }
        set {
            pairs.removeAll { $0.key == .text(identifier.rawValue) }
            guard let newValue else { return }
            pairs.append(CBORPair(key: .text(identifier.rawValue), value: .bool(newValue)))
        }
    }

    /// The map, or `nil` when it is empty.
    var value: CBORValue? { pairs.isEmpty ? nil : .map(pairs) }

    /// Options are equal when their canonical forms are: order means nothing.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.value?.encoded() == rhs.value?.encoded() }
    /// Hashes the canonical form.
    public func hash(into hasher: inout Hasher) { hasher.combine(value?.encoded()) }
}
