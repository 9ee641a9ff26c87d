internal import WardCBOR
public import WardCOSE

/// The data that an authenticator signs: the RP ID hash, the flags, the counter, and at registration the new
/// credential.
///
/// The bytes are kept as received; all properties are read from them.
///
/// WebAuthn Level 3, [§6.1](https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data).
public struct AuthenticatorData: Hashable, Sendable {
    /// The flags.
    ///
    /// WebAuthn Level 3, [§6.1](https://www.w3.org/TR/webauthn-3/#authdata-flags).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The flags as a byte.
        public let rawValue: UInt8
        /// Creates flags from any byte; reserved bits are kept.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// UP: a person was present.
        public static let userPresent = Flags(rawValue: 0x01)
        /// UV: the person was verified.
        public static let userVerified = Flags(rawValue: 0x04)
        /// BE: the credential is backup eligible.
        ///
        /// This never changes.
        public static let backupEligible = Flags(rawValue: 0x08)
        /// BS: the credential is backed up now.
        public static let backupState = Flags(rawValue: 0x10)
        /// AT: attested credential data follows.
        public static let attestedCredentialData = Flags(rawValue: 0x40)
        /// ED: extension data follows.
        public static let extensionData = Flags(rawValue: 0x80)
    }

    /// The new credential.
    ///
    /// WebAuthn Level 3, [§6.5.2](https://www.w3.org/TR/webauthn-3/#sctn-attested-credential-data).
    public struct AttestedCredential: Hashable, Sendable {
        /// The authenticator's model.
        public let aaguid: AAGUID
        /// The credential ID: at least 1 byte; the relying party checks the upper limit.
        public let credentialID: [UInt8]
        /// The credential's public key; its structure is checked.
        public let publicKey: COSEKey
    }

    /// The bytes as received.
    public let bytes: [UInt8]
    /// The flags.
    public let flags: Flags
    /// The signature counter, or zero if the authenticator does not count.
    public let signCount: UInt32
    /// The new credential, at registration.
    public let attestedCredential: AttestedCredential?
    private let extensionRange: Range<Int>

    /// SHA-256 of the RP ID that the authenticator signed for.
    public var rpIDHash: [UInt8] { Array(bytes[..<32]) }

    /// The extension outputs as canonical CBOR, or `nil` if there are none.
    public var extensions: [UInt8]? { extensionRange.isEmpty ? nil : Array(bytes[extensionRange]) }

    /// Reads authenticator data to its last byte.
    ///
    /// - Parameter bytes: At least 37 bytes, at most 64 KiB.
    /// - Throws: ``WebAuthnError`` with `malformedAuthenticatorData` for truncated or surplus bytes, or bytes that
    ///   contradict the flags; with `malformedPublicKey` or `unsupportedAlgorithm` for the credential's key.
    public init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard (37...65_536).contains(bytes.count) else {
            throw WebAuthnError(
                .malformedAuthenticatorData,
                "the authenticator data has \(bytes.count) bytes; 37 to 65,536 are expected"
            )
        }
        self.bytes = bytes
        let input = bytes.span
        flags = Flags(rawValue: input[32])
        signCount = UInt32(input[33]) << 24 | UInt32(input[34]) << 16 | UInt32(input[35]) << 8 | UInt32(input[36])
        var offset = 37
        attestedCredential =
            flags.contains(.attestedCredentialData) ? try Self.readCredential(input, bytes, &offset) : nil
        if flags.contains(.extensionData) {
            extensionRange = try Self.readExtensions(input, at: offset)
            offset = extensionRange.upperBound
        } else {
            extensionRange = offset..<offset
        }
        guard offset == bytes.count else {
            throw WebAuthnError(.malformedAuthenticatorData, "\(bytes.count - offset) surplus bytes")
        }
    }

    private static func readCredential(
        _ input: Span<UInt8>,
        _ bytes: [UInt8],
        _ offset: inout Int
    ) throws(WebAuthnError) -> AttestedCredential {
        guard input.count >= 55, let aaguid = AAGUID(Array(bytes[37..<53])) else {
            throw WebAuthnError(.malformedAuthenticatorData, "the attested credential is truncated")
        }
        let length = Int(input[53]) << 8 | Int(input[54])
        guard length > 0, input.count - 55 >= length else {
            throw WebAuthnError(.malformedAuthenticatorData, "a credential ID of \(length) bytes does not fit")
        }
        offset = 55 + length
        do {
            let key = try COSEKey.read(input, at: &offset)
            return AttestedCredential(aaguid: aaguid, credentialID: Array(bytes[55..<(55 + length)]), publicKey: key)
        } catch {
            let code: WebAuthnError.Code =
                switch error.code {
                case .unsupportedAlgorithm, .unknownAlgorithm, .attestationOnlyAlgorithm: .unsupportedAlgorithm
                default: .malformedPublicKey
                }
            throw WebAuthnError(code, "\(error)")
        }
    }

    private static func readExtensions(_ input: Span<UInt8>, at offset: Int) throws(WebAuthnError) -> Range<Int> {
        do {
            // Future extensions may use CBOR that CTAP2 does not use; order and duplicates are still checked.
            var reader = CBORReader(at: offset, rules: .webAuthn)
            guard try reader.peekType(input) == .map else {
                throw WebAuthnError(.malformedAuthenticatorData, "extension data is not a map")
            }
            return try reader.skip(input)
        } catch let error as CBORError {
            throw WebAuthnError(.malformedAuthenticatorData, "extension data: \(error)")
        } catch let error as WebAuthnError {
            throw error
        } catch {
            throw WebAuthnError(.malformedAuthenticatorData, "extension data")
        }
    }
}

extension AuthenticatorData {
    /// Builds authenticator data as an authenticator does.
    ///
    /// - Parameters:
    ///   - rpIDHash: SHA-256 of the RP ID, 32 bytes.
    ///   - flags: The flags; AT and ED follow from the next parameters.
    ///   - signCount: The signature counter.
    ///   - credential: The AAGUID, credential ID and COSE key of a new credential.
    ///   - extensions: Extension outputs in CBOR.
    /// - Returns: The bytes to sign.
    package static func assemble(
        rpIDHash: [UInt8],
        flags: Flags,
        signCount: UInt32,
        credential: (aaguid: AAGUID, id: [UInt8], publicKey: [UInt8])? = nil,
        extensions: [UInt8]? = nil
    ) -> [UInt8] {
        var flags = flags
        if credential != nil { flags.insert(.attestedCredentialData) }
        if extensions != nil { flags.insert(.extensionData) }
        var output = rpIDHash + [flags.rawValue]
        output += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: signCount >> $0) }
        if let credential {
            output += credential.aaguid.bytes
            output += [
                UInt8(truncatingIfNeeded: credential.id.count >> 8), UInt8(truncatingIfNeeded: credential.id.count),
            ]
            output += credential.id + credential.publicKey
        }
        return output + (extensions ?? [])
    }
}
