internal import Crypto
internal import WardCOSE
public import WardWebAuthn

/// A credential record as one line of text that other servers read too: `$webauthn$v=1$transports=hybrid+internal$…`.
///
/// The last part is authenticator data with the credential in it, in base64 without padding: everything a relying party needs,
/// the account and the service's own fields excepted. [C2SP passkey-record](https://c2sp.org/passkey-record), in the form of
/// [PHC strings](https://c2sp.org/phc-strings).
public struct PasskeyRecordLine: Hashable, Sendable, CustomStringConvertible {
    /// How the authenticator may be reached, sorted.
    public let transports: [AuthenticatorTransport]
    /// The authenticator data of the registration, or one that says the same.
    public let authenticatorData: AuthenticatorData

    /// Why a line is no passkey record.
    public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
        /// What was expected.
        public let description: String
    }

    /// Writes a record for another server.
    ///
    /// The authenticator data is put together from the record: its flags say present, verified if the record was made so, and
    /// what backup state was seen last; its counter is the highest seen. Transports that are no lower-case words, which a
    /// client may have claimed, are left out.
    ///
    /// - Parameter record: The credential.
    /// - Throws: `WebAuthnError` when the record's own fields are not sound.
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
        transports = Self.sorted(record.transports.filter { Self.isWord($0.rawValue) })
    }

    /// Reads a line of at most 16 KiB.
    ///
    /// - Parameter text: The line, without a line break.
    /// - Throws: ``ParsingError`` saying what was expected.
    public init(_ text: String) throws(ParsingError) {
        guard text.utf8.count <= 16_384 else { throw ParsingError(description: "a passkey record has at most 16 KiB") }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 || parts.count == 5, parts[0].isEmpty, parts[1] == "webauthn", parts[2] == "v=1" else {
            throw ParsingError(description: "a passkey record begins with $webauthn$v=1$")
        }
        var transports: [AuthenticatorTransport] = []
        if parts.count == 5 {
            let prefix = "transports="
            guard parts[3].hasPrefix(prefix) else {
                throw ParsingError(description: "transports is the only parameter of a passkey record")
            }
            let names = parts[3].dropFirst(prefix.count).split(separator: "+", omittingEmptySubsequences: false)
            for name in names {
                guard names.count <= 16, Self.isWord(name) else {
                    throw ParsingError(description: "transports are lower-case words joined by +")
                }
                transports.append(.init(rawValue: String(name)))
            }
        }
        guard let bytes = Self.decode(parts[parts.count - 1]) else {
            throw ParsingError(description: "the last part is base64 without padding")
        }
        let data: AuthenticatorData
        do { data = try AuthenticatorData(bytes) } catch {
            throw ParsingError(description: "the authenticator data does not read: \(error)")
        }
        guard data.attestedCredential != nil else {
            throw ParsingError(description: "the authenticator data holds no credential")
        }
        self.transports = Self.sorted(transports)
        authenticatorData = data
    }

    /// The line.
    public var description: String {
        let names = transports.map(\.rawValue).joined(separator: "+")
        return "$webauthn$v=1" + (names.isEmpty ? "" : "$transports=\(names)") + "$"
            + Self.encode(authenticatorData.bytes)
    }

    /// The record for this service's own store.
    ///
    /// - Parameters:
    ///   - user: The account it comes to.
    ///   - relyingParty: The service: the credential must have been made for its RP ID.
    /// - Returns: The record, with `none` for its attestation.
    /// - Throws: ``VerificationError`` when it was made for another RP ID, or its key, identifier or flags are not sound.
    public func credential(
        of user: UserHandle,
        for relyingParty: RelyingParty
    ) throws(VerificationError) -> CredentialRecord {
        guard constantTimeEquals(authenticatorData.rpIDHash, relyingParty.id.hash) else {
            throw VerificationError(.rpIDMismatch, .registration(14), "the record is of another RP ID")
        }
        guard let credential = authenticatorData.attestedCredential, let id = CredentialID(credential.credentialID)
        else {
            throw VerificationError(.credentialIDTooLong, .registration(25), "the credential id is too long")
        }
        let flags = authenticatorData.flags
        guard flags.contains(.backupEligible) || !flags.contains(.backupState) else {
            throw VerificationError(
                .backupStateInvalid,
                .registration(17),
                "backed up without being eligible for backup"
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

    private static func isWord(_ name: some StringProtocol) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }

    private static func sorted(_ transports: [AuthenticatorTransport]) -> [AuthenticatorTransport] {
        Set(transports).sorted { $0.rawValue < $1.rawValue }
    }

    /// PHC's B64: the alphabet of base64, no padding, unused bits zero.
    ///
    /// The one of base64url is two letters away.
    private static func encode(_ bytes: [UInt8]) -> String {
        String(Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }

    private static func decode(_ text: String) -> [UInt8]? {
        guard !text.contains("-"), !text.contains("_") else { return nil }
        return Base64URL.decode(String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
    }
}
