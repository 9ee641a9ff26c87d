internal import WardCBOR
internal import WardWebAuthn

extension AuthenticatorInfo {
    /// The numbers of the members in CTAP 2.3, section 6.4.
    private enum Key {
        static let versions: CBORValue = 0x01
        static let extensions: CBORValue = 0x02
        static let aaguid: CBORValue = 0x03
        static let options: CBORValue = 0x04
        static let maxMsgSize: CBORValue = 0x05
        static let pinUvAuthProtocols: CBORValue = 0x06
        static let maxCredentialCountInList: CBORValue = 0x07
        static let maxCredentialIdLength: CBORValue = 0x08
        static let transports: CBORValue = 0x09
        static let algorithms: CBORValue = 0x0a
        static let maxSerializedLargeBlobArray: CBORValue = 0x0b
        static let forcePINChange: CBORValue = 0x0c
        static let minPINLength: CBORValue = 0x0d
        static let firmwareVersion: CBORValue = 0x0e
        static let maxCredBlobLength: CBORValue = 0x0f
        static let maxRPIDsForSetMinPINLength: CBORValue = 0x10
        static let preferredPlatformUvAttempts: CBORValue = 0x11
        static let uvModality: CBORValue = 0x12
        static let certifications: CBORValue = 0x13
        static let remainingDiscoverableCredentials: CBORValue = 0x14
        static let vendorPrototypeConfigCommands: CBORValue = 0x15
        static let attestationFormats: CBORValue = 0x16
        static let uvCountSinceLastPinEntry: CBORValue = 0x17
        static let longTouchForReset: CBORValue = 0x18
        static let encIdentifier: CBORValue = 0x19
        static let transportsForReset: CBORValue = 0x1a
        static let pinComplexityPolicy: CBORValue = 0x1b
        static let pinComplexityPolicyURL: CBORValue = 0x1c
        static let maxPINLength: CBORValue = 0x1d
        static let encCredStoreState: CBORValue = 0x1e
        static let authenticatorConfigCommands: CBORValue = 0x1f
    }

    /// Reads the bytes after the status byte.
    ///
    /// - Parameter bytes: One canonical map of at most 1 MiB.
    /// - Throws: ``CTAPStatus`` for malformed bytes.
    public init(_ bytes: [UInt8]) throws(CTAPStatus) {
        func count(_ value: CBORValue) throws(CTAPStatus) -> Int { try value.asCount() }
        func number(_ value: CBORValue) throws(CTAPStatus) -> UInt64 { try value.asUnsigned() }
        func flag(_ value: CBORValue) throws(CTAPStatus) -> Bool { try value.asBool() }
        func text(_ value: CBORValue) throws(CTAPStatus) -> String { try value.asText() }
        func string(_ value: CBORValue) throws(CTAPStatus) -> [UInt8] { try value.asBytes() }
        func transport(_ value: CBORValue) throws(CTAPStatus) -> AuthenticatorTransport {
            AuthenticatorTransport(rawValue: try value.asText())
        }
        func identifier(_ value: CBORValue) throws(CTAPStatus) -> CTAPExtensions.Identifier {
            CTAPExtensions.Identifier(rawValue: try value.asText())
        }
        func model(_ value: CBORValue) throws(CTAPStatus) -> AAGUID {
            guard let aaguid = AAGUID(try value.asBytes()) else { throw .invalidLength }
            return aaguid
        }
        func parameters(_ value: CBORValue) throws(CTAPStatus) -> PublicKeyCredentialParameters { try .init(value) }
        func agreement(_ value: CBORValue) throws(CTAPStatus) -> PINUVAuthProtocol { try .init(value) }
        func map(_ value: CBORValue) throws(CTAPStatus) -> CBORValue { try value.asMap() }
        func doings(_ value: CBORValue) throws(CTAPStatus) -> AuthenticatorOptions { try .init(value) }

        var reader = try MessageReader(bytes)
        guard let versions = try reader.list(Key.versions, text) else { throw .missingParameter }
        self.init(versions: versions, aaguid: try reader.required(Key.aaguid, model))
        extensions = try reader.list(Key.extensions, identifier) ?? []
        options = try reader.value(Key.options, doings) ?? .init()
        maximumMessageSize = try reader.value(Key.maxMsgSize, count)
        pinUVAuthProtocols = try reader.list(Key.pinUvAuthProtocols, agreement) ?? []
        maximumCredentialCountInList = try reader.value(Key.maxCredentialCountInList, count)
        maximumCredentialIDLength = try reader.value(Key.maxCredentialIdLength, count)
        transports = try reader.list(Key.transports, transport) ?? []
        algorithms = try reader.list(Key.algorithms, parameters) ?? []
        maximumSerializedLargeBlobArray = try reader.value(Key.maxSerializedLargeBlobArray, count)
        forcesPINChange = try reader.value(Key.forcePINChange, flag)
        minimumPINLength = try reader.value(Key.minPINLength, count)
        firmwareVersion = try reader.value(Key.firmwareVersion, count)
        maximumCredBlobLength = try reader.value(Key.maxCredBlobLength, count)
        maximumRPIDsForSetMinPINLength = try reader.value(Key.maxRPIDsForSetMinPINLength, count)
        preferredPlatformUvAttempts = try reader.value(Key.preferredPlatformUvAttempts, count)
        uvModality = try reader.value(Key.uvModality, number)
        certifications = try reader.value(Key.certifications, map)
        remainingDiscoverableCredentials = try reader.value(Key.remainingDiscoverableCredentials, count)
        vendorPrototypeConfigCommands = try reader.list(Key.vendorPrototypeConfigCommands, number)
        attestationFormats = try reader.list(Key.attestationFormats, text) ?? []
        uvCountSinceLastPINEntry = try reader.value(Key.uvCountSinceLastPinEntry, count)
        needsLongTouchForReset = try reader.value(Key.longTouchForReset, flag)
        encryptedIdentifier = try reader.value(Key.encIdentifier, string)
        transportsForReset = try reader.list(Key.transportsForReset, transport)
        hasPINComplexityPolicy = try reader.value(Key.pinComplexityPolicy, flag)
        pinComplexityPolicyURL = try reader.value(Key.pinComplexityPolicyURL, string)
        maximumPINLength = try reader.value(Key.maxPINLength, count)
        encryptedCredentialStoreState = try reader.value(Key.encCredStoreState, string)
        authenticatorConfigCommands = try reader.list(Key.authenticatorConfigCommands, number)
        unknown = reader.rest
    }

    /// The answer in canonical form, without the status byte.
    public var encoded: [UInt8] {
        var writer = MessageWriter(unknown)
        func count(_ key: CBORValue, _ value: Int?) { writer.put(key, value.map { .integer(Int64($0)) }) }
        func flag(_ key: CBORValue, _ value: Bool?) { writer.put(key, value.map { .bool($0) }) }
        func string(_ key: CBORValue, _ value: [UInt8]?) { writer.put(key, value.map { .bytes($0) }) }
        func numbers(_ key: CBORValue, _ value: [UInt64]?) {
            writer.put(key, value.map { .array($0.map { .unsigned($0) }) })
        }
        writer.put(Key.versions, .array(versions.map { .text($0) }))
        writer.put(Key.extensions, extensions) { .text($0.rawValue) }
        writer.put(Key.aaguid, .bytes(aaguid.bytes))
        writer.put(Key.options, options.value)
        count(Key.maxMsgSize, maximumMessageSize)
        writer.put(Key.pinUvAuthProtocols, pinUVAuthProtocols, \.value)
        count(Key.maxCredentialCountInList, maximumCredentialCountInList)
        count(Key.maxCredentialIdLength, maximumCredentialIDLength)
        writer.put(Key.transports, transports) { .text($0.rawValue) }
        writer.put(Key.algorithms, algorithms, \.cbor)
        count(Key.maxSerializedLargeBlobArray, maximumSerializedLargeBlobArray)
        flag(Key.forcePINChange, forcesPINChange)
        count(Key.minPINLength, minimumPINLength)
        count(Key.firmwareVersion, firmwareVersion)
        count(Key.maxCredBlobLength, maximumCredBlobLength)
        count(Key.maxRPIDsForSetMinPINLength, maximumRPIDsForSetMinPINLength)
        count(Key.preferredPlatformUvAttempts, preferredPlatformUvAttempts)
        writer.put(Key.uvModality, uvModality.map { .unsigned($0) })
        writer.put(Key.certifications, certifications)
        count(Key.remainingDiscoverableCredentials, remainingDiscoverableCredentials)
        numbers(Key.vendorPrototypeConfigCommands, vendorPrototypeConfigCommands)
        writer.put(Key.attestationFormats, attestationFormats) { .text($0) }
        count(Key.uvCountSinceLastPinEntry, uvCountSinceLastPINEntry)
        flag(Key.longTouchForReset, needsLongTouchForReset)
        string(Key.encIdentifier, encryptedIdentifier)
        writer.put(Key.transportsForReset, transportsForReset.map { .array($0.map { .text($0.rawValue) }) })
        flag(Key.pinComplexityPolicy, hasPINComplexityPolicy)
        string(Key.pinComplexityPolicyURL, pinComplexityPolicyURL)
        count(Key.maxPINLength, maximumPINLength)
        string(Key.encCredStoreState, encryptedCredentialStoreState)
        numbers(Key.authenticatorConfigCommands, authenticatorConfigCommands)
        return writer.bytes
    }
}
