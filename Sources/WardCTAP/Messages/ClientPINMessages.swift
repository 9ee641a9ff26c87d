public import WardCBOR

/// The parameters of `authenticatorClientPIN`.
///
/// CTAP 2.3, section 6.5.
public struct ClientPINRequest: Hashable, Sendable {
    /// A subcommand; unknown numbers are kept.
    public struct Subcommand: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: Int
        /// Takes a number that is not negative.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The number of remaining attempts with the PIN.
        public static let getPINRetries = Self(rawValue: 0x01)
        /// The authenticator's public key for the key agreement.
        public static let getKeyAgreement = Self(rawValue: 0x02)
        /// The subcommand to set the first PIN.
        public static let setPIN = Self(rawValue: 0x03)
        /// Changes the PIN.
        public static let changePIN = Self(rawValue: 0x04)
        /// A token for the PIN, as before CTAP 2.1.
        public static let getPINToken = Self(rawValue: 0x05)
        /// A token for built-in verification, with permissions.
        public static let getPINUVAuthTokenUsingUVWithPermissions = Self(rawValue: 0x06)
        /// The number of remaining attempts with built-in verification.
        public static let getUVRetries = Self(rawValue: 0x07)
        /// A token for the PIN, with permissions.
        public static let getPINUVAuthTokenUsingPINWithPermissions = Self(rawValue: 0x09)
    }

    /// The protocol of the other parameters.
    public var pinUVAuthProtocol: PINUVAuthProtocol?
    /// The subcommand.
    public var subcommand: Subcommand
    /// The client's public key for the key agreement.
    public var keyAgreement: KeyAgreementKey?
    /// The authentication code of the other parameters.
    public var pinUVAuthParam: [UInt8]?
    /// A new PIN, encrypted.
    public var newPINEnc: [UInt8]?
    /// The hash of the PIN, encrypted.
    public var pinHashEnc: [UInt8]?
    /// The permissions of the wanted token, as bits.
    public var permissions: Int?
    /// The RP ID of the wanted token.
    public var rpID: String?
    /// Unknown parameters; authenticators ignore them.
    public var unknown: [CBORPair] = []

    /// Creates a request.
    public init(
        pinUVAuthProtocol: PINUVAuthProtocol?,
        subcommand: Subcommand,
        keyAgreement: KeyAgreementKey? = nil,
        pinUVAuthParam: [UInt8]? = nil,
        newPINEnc: [UInt8]? = nil,
        pinHashEnc: [UInt8]? = nil,
        permissions: Int? = nil,
        rpID: String? = nil
    ) {
        self.pinUVAuthProtocol = pinUVAuthProtocol
        self.subcommand = subcommand
        self.keyAgreement = keyAgreement
        self.pinUVAuthParam = pinUVAuthParam
        self.newPINEnc = newPINEnc
        self.pinHashEnc = pinHashEnc
        self.permissions = permissions
        self.rpID = rpID
    }

    /// Reads the parameters after the command byte.
    ///
    /// - Parameter bytes: One canonical map of at most 1 MiB.
    /// - Throws: ``CTAPStatus`` that the authenticator answers with.
    public init(_ bytes: [UInt8]) throws(CTAPStatus) {
        var reader = try MessageReader(bytes)
        pinUVAuthProtocol = try reader.value(0x01) { value throws(CTAPStatus) in try PINUVAuthProtocol(value) }
        subcommand = try reader.required(0x02) { value throws(CTAPStatus) in .init(rawValue: try value.asCount()) }
        keyAgreement = try reader.value(0x03) { value throws(CTAPStatus) in try KeyAgreementKey(value) }
        pinUVAuthParam = try reader.value(0x04) { value throws(CTAPStatus) in try value.asBytes() }
        newPINEnc = try reader.value(0x05) { value throws(CTAPStatus) in try value.asBytes() }
        pinHashEnc = try reader.value(0x06) { value throws(CTAPStatus) in try value.asBytes() }
        permissions = try reader.value(0x09) { value throws(CTAPStatus) in try value.asCount() }
        rpID = try reader.value(0x0a) { value throws(CTAPStatus) in try value.asText() }
        unknown = reader.rest
    }

    /// The parameters in canonical form, without the command byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        writer.put(0x01, pinUVAuthProtocol?.value)
        writer.put(0x02, .integer(Int64(subcommand.rawValue)))
        writer.put(0x03, keyAgreement?.value)
        writer.put(0x04, pinUVAuthParam.map { .bytes($0) })
        writer.put(0x05, newPINEnc.map { .bytes($0) })
        writer.put(0x06, pinHashEnc.map { .bytes($0) })
        writer.put(0x09, permissions.map { .integer(Int64($0)) })
        writer.put(0x0a, rpID.map { .text($0) })
        return writer.bytes
    }
}

/// The response of `authenticatorClientPIN`; its members depend on the subcommand.
///
/// CTAP 2.3, section 6.5.
public struct ClientPINResponse: Hashable, Sendable {
    /// The authenticator's public key for the key agreement.
    public var keyAgreement: KeyAgreementKey?
    /// A token, encrypted.
    public var pinUVAuthToken: [UInt8]?
    /// The number of remaining attempts with the PIN.
    public var pinRetries: Int?
    /// Whether the power must be disconnected before the next attempt.
    public var needsPowerCycle: Bool?
    /// The number of remaining attempts with built-in verification.
    public var uvRetries: Int?
    /// Unknown members.
    public var unknown: [CBORPair] = []

    /// Creates a response.
    public init(
        keyAgreement: KeyAgreementKey? = nil,
        pinUVAuthToken: [UInt8]? = nil,
        pinRetries: Int? = nil,
        needsPowerCycle: Bool? = nil,
        uvRetries: Int? = nil
    ) {
        self.keyAgreement = keyAgreement
        self.pinUVAuthToken = pinUVAuthToken
        self.pinRetries = pinRetries
        self.needsPowerCycle = needsPowerCycle
        self.uvRetries = uvRetries
    }

    /// Reads the bytes after the status byte.
    ///
    /// - Parameter bytes: One canonical map of at most 1 MiB.
    /// - Throws: ``CTAPStatus`` for malformed bytes.
    public init(_ bytes: [UInt8]) throws(CTAPStatus) {
        var reader = try MessageReader(bytes)
        keyAgreement = try reader.value(0x01) { value throws(CTAPStatus) in try KeyAgreementKey(value) }
        pinUVAuthToken = try reader.value(0x02) { value throws(CTAPStatus) in try value.asBytes() }
        pinRetries = try reader.value(0x03) { value throws(CTAPStatus) in try value.asCount() }
        needsPowerCycle = try reader.value(0x04) { value throws(CTAPStatus) in try value.asBool() }
        uvRetries = try reader.value(0x05) { value throws(CTAPStatus) in try value.asCount() }
        unknown = reader.rest
    }

    /// The response in canonical form, without the status byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        writer.put(0x01, keyAgreement?.value)
        writer.put(0x02, pinUVAuthToken.map { .bytes($0) })
        writer.put(0x03, pinRetries.map { .integer(Int64($0)) })
        writer.put(0x04, needsPowerCycle.map { .bool($0) })
        writer.put(0x05, uvRetries.map { .integer(Int64($0)) })
        return writer.bytes
    }
}
