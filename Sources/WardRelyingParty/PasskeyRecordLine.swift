internal import Crypto
internal import WardCOSE
internal import WardDomains
internal import WardText
public import WardWebAuthn

/// A credential record as one line of text that other servers can read: `$webauthn$v=1$transports=hybrid+internal$…`.
///
/// The last part is authenticator data with the credential, in base64 without padding. It has everything that a relying
/// party needs, except the account and the service's own fields. [C2SP
/// passkey-record](https://c2sp.org/passkey-record), in the form of [PHC strings](https://c2sp.org/phc-strings).
public struct PasskeyRecordLine: Hashable, Sendable, CustomStringConvertible {
    /// The transports of the authenticator, sorted.
    public let transports: [AuthenticatorTransport]
    /// The authenticator data of the registration, or equivalent data.
    public let authenticatorData: AuthenticatorData

    /// The reason why a line is not a passkey record.
    public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The form that was expected.
        public let description: String
    }

    /// Writes a record for another server.
    ///
    /// The authenticator data is built from the record. Its flags say: user present, user verified if the record was
    /// created with verification, and the latest backup state. Its counter is the highest known. Of the transports, at
    /// most 32 are written, and those with other characters than the format allows are left out; a client may have
    /// claimed such values.
    ///
    /// - Parameter record: The credential.
    /// - Throws: `WebAuthnError` if the record's fields are not valid.
    public init(_ record: CredentialRecord) throws(WebAuthnError) {
        var flags: AuthenticatorData.Flags = .userPresent
        if record.uvInitialized { flags.insert(.userVerified) }
        if record.backupEligible { flags.insert(.backupEligible) }
        if record.backedUp { flags.insert(.backupState) }
        authenticatorData = try AuthenticatorData(
            AuthenticatorData.assemble(
                rpIDHash: Array(SHA256.hash(data: Array(record.rpID.utf8))),
                flags: flags,
                signCount: record.signCount,
                credential: (record.aaguid, record.id.bytes, record.publicKey)
            )
        )
        let names = Set(record.transports).filter { Self.isTransport($0.rawValue.utf8) }
        transports = Array(names.sorted { Self.precedes($0.rawValue, $1.rawValue) }.prefix(Self.maximumTransports))
    }

    /// Reads a line of at most 16 KiB.
    ///
    /// Parameters other than `transports` are ignored, so a later revision of the format can add some. Transports must be
    /// sorted and without duplicates.
    ///
    /// - Parameter text: The line, without a line break.
    /// - Throws: ``ParsingError`` that says what was expected.
    public init(_ text: String) throws(ParsingError) {
        guard text.utf8.count <= 16_384 else {
            throw ParsingError(description: "a passkey record must have at most 16 KiB")
        }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 || parts.count == 5, parts[0].isEmpty, parts[1] == "webauthn", parts[2] == "v=1" else {
            throw ParsingError(description: "a passkey record must begin with $webauthn$v=1$")
        }
        let transports = parts.count == 5 ? try Self.transports(parameters: parts[3]) : []
        // PHC's B64: the alphabet of base64, no padding, unused bits zero.
        guard let bytes = Base64.decode(parts[parts.count - 1], padding: false) else {
            throw ParsingError(description: "the last part must be base64 without padding")
        }
        let data: AuthenticatorData
        do { data = try AuthenticatorData(bytes) } catch {
            throw ParsingError(description: "the authenticator data is malformed: \(error)")
        }
        guard data.attestedCredential != nil else {
            throw ParsingError(description: "the authenticator data has no credential")
        }
        self.transports = transports
        authenticatorData = data
    }

    /// The line of text.
    public var description: String {
        let names = transports.map(\.rawValue).joined(separator: "+")
        return "$webauthn$v=1" + (names.isEmpty ? "" : "$transports=\(names)") + "$"
            + Base64.encode(authenticatorData.bytes, padding: false)
    }

    /// The record for this service's own store.
    ///
    /// - Parameters:
    ///   - user: The account that gets the credential.
    ///   - relyingParty: The service. The credential must be for its RP ID.
    /// - Returns: The record, with attestation `none`.
    /// - Throws: ``VerificationError`` if the credential is for another RP ID, or its key, ID or flags are not valid.
    public func credential(
        of user: UserHandle,
        for relyingParty: RelyingParty
    ) throws(VerificationError) -> CredentialRecord {
        guard isEqualInConstantTime(authenticatorData.rpIDHash, relyingParty.id.hash) else {
            throw VerificationError(.rpIDMismatch, .registration(14), "the record is for another RP ID")
        }
        guard let credential = authenticatorData.attestedCredential, let id = CredentialID(credential.credentialID)
        else {
            throw VerificationError(.credentialIDTooLong, .registration(25), "the credential ID is too long")
        }
        let flags = authenticatorData.flags
        guard flags.contains(.backupEligible) || !flags.contains(.backupState) else {
            throw VerificationError(
                .backupStateInvalid,
                .registration(17),
                "the passkey is backed up, but not eligible for backup"
            )
        }
        do { _ = try credential.publicKey.verificationKey() } catch {
            throw VerificationError(.publicKeyInvalid, .registration(20), "\(error)")
        }
        return CredentialRecord(
            id: id,
            userHandle: user,
            publicKey: credential.publicKey.encoded,
            signCount: authenticatorData.signCount,
            uvInitialized: flags.contains(.userVerified),
            transports: transports,
            backupEligible: flags.contains(.backupEligible),
            backedUp: flags.contains(.backupState),
            aaguid: credential.aaguid,
            attestationFormat: "none",
            rpID: relyingParty.id.description
        )
    }

    private static let maximumTransports = 32

    /// Reads `name=value,name=value`.
    private static func transports(parameters: String) throws(ParsingError) -> [AuthenticatorTransport] {
        var seen: Set<String> = []
        var transports: [AuthenticatorTransport] = []
        for parameter in parameters.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, isName(parts[0].utf8), parts[0] != "v", isValue(parts[1].utf8) else {
                throw ParsingError(description: "a parameter of a passkey record must be name=value")
            }
            guard seen.insert(String(parts[0])).inserted else {
                throw ParsingError(description: "a passkey record must have each parameter once")
            }
            if parts[0] == "transports" { transports = try read(parts[1]) }
        }
        return transports
    }

    private static func read(_ value: Substring) throws(ParsingError) -> [AuthenticatorTransport] {
        let names = value.split(separator: "+", omittingEmptySubsequences: false)
        guard names.count <= maximumTransports, names.allSatisfy({ isTransport($0.utf8) }) else {
            throw ParsingError(
                description: "transports must be at most 32 words of letters, digits, - . and /, joined by +"
            )
        }
        guard zip(names, names.dropFirst()).allSatisfy({ precedes($0, $1) }) else {
            throw ParsingError(description: "transports must be sorted and without duplicates")
        }
        return names.map { AuthenticatorTransport(rawValue: String($0)) }
    }

    private static func precedes(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// A name of PHC: `[a-z0-9-]`, 1 to 32 characters.
    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        (1...32).contains(name.count)
            && name.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }

    /// A value of PHC: `[a-zA-Z0-9/+.-]`, at least one.
    private static func isValue(_ value: some Collection<UInt8>) -> Bool {
        !value.isEmpty && value.allSatisfy { isTransportByte($0) || $0 == 0x2b }
    }

    private static func isTransport(_ name: some Collection<UInt8>) -> Bool {
        (1...32).contains(name.count) && name.allSatisfy(isTransportByte)
    }

    private static func isTransportByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, 0x2d, 0x2e, 0x2f: true
        default: false
        }
    }
}
