import Testing
import WardCBOR
import WardCOSE
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// A registration that is right but for one thing: without `spoil` it is accepted, with it refused by the step that owns it.
struct RegistrationRejection: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: Int
    let code: VerificationError.Code
    let policy: @Sendable (inout RelyingPartyPolicy) -> Void
    let behaviour: @Sendable (inout VirtualAuthenticator.Behaviour) -> Void
    /// Breaks the one thing, before the authenticator answers.
    let spoil: @Sendable (inout RelyingPartyFixture) -> Void

    init(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        policy: @escaping @Sendable (inout RelyingPartyPolicy) -> Void = { _ in },
        behaviour: @escaping @Sendable (inout VirtualAuthenticator.Behaviour) -> Void = { _ in },
        spoil: @escaping @Sendable (inout RelyingPartyFixture) -> Void
    ) {
        testDescription = description
        self.step = step
        self.code = code
        self.policy = policy
        self.behaviour = behaviour
        self.spoil = spoil
    }

    /// Breaks the client data before it is hashed.
    static func clientData(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable (CollectedClientData) -> CollectedClientData
    ) -> Self {
        .init(description, step, code) { $0.authenticator.faults.clientData = change }
    }

    /// Breaks the client data's bytes before they are hashed.
    static func json(_ description: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Self {
        .init(description, 6, .malformedResponse) { $0.authenticator.faults.clientDataJSON = change }
    }

    /// Breaks the authenticator data before anything is signed.
    static func data(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Self {
        .init(description, step, code) { $0.authenticator.faults.authenticatorData = change }
    }

    /// Breaks the public key before it is attested.
    static func key(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Self {
        .init(description, step, code) { $0.authenticator.faults.publicKey = change }
    }

    /// Breaks the attestation statement of packed self attestation.
    static func packed(
        _ description: String,
        _ change: @escaping @Sendable (inout Faults) -> Void
    ) -> Self {
        .init(
            description,
            22,
            .attestationInvalid,
            behaviour: { $0.attestation = .packedSelf },
            spoil: { change(&$0.authenticator.faults) }
        )
    }
}

/// Each MUST of WebAuthn Level 3, §7.1, and the step it stands at:
///
/// | step | what is checked | here |
/// |---|---|---|
/// | 1-3 | the ceremony is a registration of this RP ID, for somebody, and in time | `CeremonyTests` |
/// | 5-6 | the client data is a JSON object with its members | `json` |
/// | 7-11 | type, challenge, origin, crossOrigin, topOrigin | `clientData` |
/// | 12 | the hash is over the bytes as received | packed statements, which sign it |
/// | 13 | the attestation object and what is inside | `data` and `object` |
/// | 14-17 | rpIdHash, UP, UV, BS without BE | `data` |
/// | 18-19 | the service's own conditions on BE | `policy` |
/// | 20 | the algorithm was asked for, the key is sound | `key` |
/// | 21-24 | the statement, its format, and whether it is enough | `packed`, `PolicyTests` |
/// | 25 | the identifier's length, and that it is one and the same | `data` |
/// | 26, 29 | nobody has the credential; the service takes the account | `CeremonyTests` |
/// | 27-28 | the record; extension outputs nobody asked for | `AcceptanceTests` |
@Suite struct `Registration rejections` {
    static let clientData: [RegistrationRejection] = [
        .json("no JSON", { _ in [] }),
        .json("an array", { _ in Array("[]".utf8) }),
        .json("cut short", { Array($0.dropLast()) }),
        .json("a byte behind", { $0 + [0x7d] }),
        .json("invalid UTF-8", { $0.extended(Array(",\"x\":\"".utf8) + [0xc3, 0x28, 0x22]) }),
        .json("a member twice", { $0.extended(",\"crossOrigin\":false") }),
        .json("an escaped member twice", { $0.extended(",\"\\u006frigin\":\"https://evil.example\"") }),
        .clientData("a sign-in's type", 7, .typeMismatch) { $0.changed(type: "webauthn.get") },
        .clientData("a type of another case", 7, .typeMismatch) { $0.changed(type: "webauthn.Create") },
        .clientData("a payment's type", 7, .typeMismatch) { $0.changed(type: "payment.get") },
        .clientData("another challenge", 8, .challengeMismatch) {
            $0.changed(challenge: Base64URL.encode([UInt8](repeating: 9, count: 32)))
        },
        .clientData("a challenge with padding", 8, .challengeMismatch) { $0.changed(challenge: $0.challenge + "=") },
        .clientData("a challenge with more behind", 8, .challengeMismatch) {
            $0.changed(challenge: $0.challenge + "AAAA")
        },
        .clientData("a challenge cut short", 8, .challengeMismatch) {
            $0.changed(challenge: String($0.challenge.dropLast()))
        },
        .clientData("an empty challenge", 8, .challengeMismatch) { $0.changed(challenge: "") },
        .clientData("an origin nobody listed", 9, .originNotAllowed) { $0.changed(origin: "https://evil.example") },
        .clientData("an origin below the RP ID that nobody listed", 9, .originNotAllowed) {
            $0.changed(origin: "https://blog.example.com")
        },
        .clientData("no origin at all", 9, .originNotAllowed) { $0.changed(origin: "") },
        .clientData("an opaque origin", 9, .originNotAllowed) { $0.changed(origin: "null") },
        .clientData("framed", 10, .crossOriginNotAllowed) { $0.changed(crossOrigin: true) },
        .clientData("framed, and by whom", 10, .crossOriginNotAllowed) {
            $0.changed(crossOrigin: true, topOrigin: "https://top.example")
        },
        .clientData("a top origin without a frame", 11, .topOriginNotAllowed) {
            $0.changed(topOrigin: "https://login.example.com")
        },
    ]

    /// The authenticator data with flags taken out and put in.
    static func flags(
        without: AuthenticatorData.Flags = [],
        with: AuthenticatorData.Flags = []
    ) -> @Sendable ([UInt8]) -> [UInt8] {
        { data in
            var data = data
            data[32] = data[32] & ~without.rawValue | with.rawValue
            return data
        }
    }

    static let authenticatorData: [RegistrationRejection] = [
        .data("36 bytes", 13, .malformedResponse) { Array($0[..<36]) },
        .data("bug class 24: a byte behind", 13, .malformedResponse) { $0 + [0] },
        .data("no attested credential", 13, .malformedResponse) {
            flags(without: .attestedCredentialData)(Array($0[..<37]))
        },
        .data("a credential without its flag", 13, .malformedResponse, flags(without: .attestedCredentialData)),
        .data("extensions announced and absent", 13, .malformedResponse, flags(with: .extensionData)),
        .data("another RP ID", 14, .rpIDMismatch) { sha256(Array("evil.example".utf8)) + $0[32...] },
        .data("the RP ID's parent", 14, .rpIDMismatch) { sha256(Array("com".utf8)) + $0[32...] },
        .data("one bit of the RP ID's hash", 14, .rpIDMismatch) { $0.flipped(at: 31) },
        .data("no hash", 14, .rpIDMismatch) { [UInt8](repeating: 0, count: 32) + $0[32...] },
        .data("bug class 2: nobody there", 15, .userNotPresent, flags(without: .userPresent)),
        .data("nobody verified", 16, .userNotVerified, flags(without: .userVerified)),
        .data("backed up without being eligible", 17, .backupStateInvalid, flags(without: .backupEligible)),
        .data("an identifier of 1,024 bytes", 25, .credentialIDTooLong) {
            Array($0[..<53]) + [4, 0] + [UInt8](repeating: 1, count: 1_024) + $0[87...]
        },
        .data("an empty identifier", 13, .malformedResponse) { Array($0[..<53]) + [0, 0] + $0[87...] },
        .data("bug class 23: another identifier", 25, .credentialIDMismatch) { $0.flipped(at: 55) },
    ]

    static let object: [RegistrationRejection] = [
        cbor("no object") { _ in [] },
        cbor("bug class 24: a byte behind") { $0 + [0] },
        cbor("cut short") { Array($0.dropLast()) },
        cbor("no format") { $0.replacing(Array("cfmt".utf8), with: Array("cfmu".utf8)) },
        cbor("no statement") { $0.replacing(Array("attStmt".utf8), with: Array("attStmu".utf8)) },
        cbor("no data") { $0.replacing(Array("authData".utf8), with: Array("authDatb".utf8)) },
        cbor("the data as text") {
            // The string's head becomes that of text: 0x58 is a byte string with one byte of length, 0x78 a text.
            $0.replacing(Array("authData".utf8) + [0x58], with: Array("authData".utf8) + [0x78])
        },
    ]

    private static func cbor(
        _ description: String,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> RegistrationRejection {
        .init(description, 13, .malformedResponse) { $0.authenticator.faults.attestationObject = change }
    }

    static let decisions: [RegistrationRejection] = [
        .init(
            "a synced credential where only device-bound ones are taken",
            18,
            .authenticatorNotAllowed,
            policy: { $0.backupEligibleCredentials = .deviceBoundOnly },
            behaviour: { ($0.isBackupEligible, $0.isBackedUp) = (false, false) },
            spoil: { $0.authenticator.behaviour.isBackupEligible = true }
        ),
        .init(
            "a device-bound credential where only synced ones are taken",
            18,
            .authenticatorNotAllowed,
            policy: { $0.backupEligibleCredentials = .backupEligibleOnly },
            spoil: {
                ($0.authenticator.behaviour.isBackupEligible, $0.authenticator.behaviour.isBackedUp) = (false, false)
            }
        ),
        .init(
            "an algorithm nobody asked for",
            20,
            .algorithmNotAllowed,
            policy: { $0.algorithms = [.es256] },
            spoil: { $0.authenticator.faults.publicKey = { _ in Key.ed25519 } }
        ),
        .init(
            "a format that is not taken",
            21,
            .attestationFormatNotAllowed,
            policy: { $0.attestation.acceptsUnverifiedFormats = false },
            spoil: {
                $0.authenticator.faults.attestationObject = {
                    $0.replacing(Array("none".utf8), with: Array("nine".utf8))
                }
            }
        ),
        .init(
            "formats are told apart by case",
            21,
            .attestationFormatNotAllowed,
            policy: { $0.attestation.acceptsUnverifiedFormats = false },
            spoil: {
                $0.authenticator.faults.attestationObject = {
                    $0.replacing(Array("none".utf8), with: Array("None".utf8))
                }
            }
        ),
        .init("none with a statement", 22, .attestationInvalid) {
            $0.authenticator.faults.statement = { _ in CBORValue.of([("alg", -7)]).encoded() }
        },
        .init("none with an array", 22, .attestationInvalid) { $0.authenticator.faults.statement = { _ in [0x80] } },
    ]

    /// Keys as they must not be.
    enum Key {
        static let ed25519 = try! COSEPrivateKey(
            algorithm: .edDSA,
            rawRepresentation: [UInt8](repeating: 2, count: 32)
        ).publicKey.encoded
        static let x = [UInt8](repeating: 7, count: 32)

        static func ec2(alg: Int64 = -7, crv: Int64 = 1, x: CBORValue, y: CBORValue) -> [UInt8] {
            CBORValue.of([(1, 2), (3, .integer(alg)), (-1, .integer(crv)), (-2, x), (-3, y)]).encoded()
        }
    }

    static let keys: [RegistrationRejection] = [
        .key("no key", 13, .publicKeyInvalid) { _ in [] },
        .key("a key that is not a map", 13, .publicKeyInvalid) { _ in [0x80] },
        .key("bug class 26: a point that is not on its curve", 20, .publicKeyInvalid) {
            $0.flipped(at: $0.count - 1)
        },
        .key("bug class 26: zeros for a point", 20, .publicKeyInvalid) { _ in
            Key.ec2(x: .bytes([UInt8](repeating: 0, count: 32)), y: .bytes([UInt8](repeating: 0, count: 32)))
        },
        .key("bug class 26: a compressed point", 13, .publicKeyInvalid) { _ in
            Key.ec2(x: .bytes(Key.x), y: .bool(true))
        },
        .key("bug class 26: ES256 over P-384", 13, .publicKeyInvalid) { _ in
            Key.ec2(crv: 2, x: .bytes([UInt8](repeating: 7, count: 48)), y: .bytes([UInt8](repeating: 7, count: 48)))
        },
        .key("bug class 26: ES256 on the curve of Ed25519", 13, .publicKeyInvalid) { _ in
            Key.ec2(crv: 6, x: .bytes(Key.x), y: .bytes(Key.x))
        },
        .key("bug class 26: no curve", 13, .publicKeyInvalid) { _ in
            CBORValue.of([(1, 2), (3, -7), (-2, .bytes(Key.x)), (-3, .bytes(Key.x))]).encoded()
        },
        .key("bug class 26: an OKP key with ES256", 13, .publicKeyInvalid) { _ in
            CBORValue.of([(1, 1), (3, -7), (-1, 6), (-2, .bytes(Key.x))]).encoded()
        },
        .key("bug class 26: a short coordinate", 13, .publicKeyInvalid) { _ in
            Key.ec2(x: .bytes([UInt8](repeating: 7, count: 31)), y: .bytes(Key.x))
        },
        .key("no algorithm", 13, .publicKeyInvalid) { _ in
            CBORValue.of([(1, 2), (-1, 1), (-2, .bytes(Key.x)), (-3, .bytes(Key.x))]).encoded()
        },
        .key("Ed448, which is known and not done", 20, .algorithmNotSupported) { _ in
            CBORValue.of([(1, 1), (3, -53), (-1, 7), (-2, .bytes([UInt8](repeating: 7, count: 57)))]).encoded()
        },
        .key("RSA of 1,024 bits", 13, .publicKeyInvalid) { _ in
            CBORValue.of([
                (1, 3), (3, -257), (-1, .bytes([UInt8](repeating: 255, count: 128))), (-2, .bytes([1, 0, 1])),
            ])
            .encoded()
        },
        .key("a private key", 13, .publicKeyInvalid) { key in
            // Label -4 is d, the private part.
            [key[0] + 1] + key[1...] + [0x23, 0x58, 0x20] + Key.x
        },
    ]

    static let packed: [RegistrationRejection] = [
        .packed("a signature with one bit changed") { $0.signature = { $0.flipped(at: $0.count - 1) } },
        .packed("no signature") { $0.signature = { _ in [] } },
        .packed("step 12: a signature over other client data") {
            $0.registration = { response in
                var response = response
                response.clientDataJSON = response.clientDataJSON.extended(",\"x\":1")
                return response
            }
        },
        .packed("a signature over other authenticator data") {
            $0.attestationObject = { object in
                // The counter, the four bytes behind the flags.
                let start = (object.index(of: sha256(Array("example.com".utf8))) ?? 0) + 36
                return object.flipped(at: start)
            }
        },
        .packed("bug class 30: another algorithm than the key's") {
            $0.statement = { $0.replacing(Array("calg".utf8) + [0x26], with: Array("calg".utf8) + [0x27]) }
        },
        .packed("bug class 30: no algorithm") {
            $0.statement = { [0xa1] + $0[6...] }
        },
        .packed("no sig") { $0.statement = { [0xa1] + $0[1..<6] } },
        .packed("a member of another type") {
            $0.statement = { $0.replacing(Array("calg".utf8) + [0x26], with: Array("calg".utf8) + [0xf6]) }
        },
        .packed("no map") { $0.statement = { _ in [0x80] } },
        .packed("a member nobody knows") {
            $0.statement = { [0xa3] + $0[1...] + Array("dzeta".utf8) + [0x01] }
        },
        .packed("an empty certificate list") { $0.statement = { [0xa3] + $0[1...] + Array("cx5c".utf8) + [0x80] } },
        .packed("certificates that are not bytes") {
            $0.statement = { [0xa3] + $0[1...] + Array("cx5c".utf8) + [0x81, 0x00] }
        },
    ]

    @Test(arguments: [clientData, authenticatorData, object, decisions, keys, packed].flatMap { $0 })
    func `one spoiled thing is refused by the step that owns it`(rejection: RegistrationRejection) throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        rejection.behaviour(&behaviour)
        var sound = try RelyingPartyFixture(behaviour: behaviour, rejection.policy)
        #expect(refusal { _ = try sound.register() } == "accepted")

        var spoiled = try RelyingPartyFixture(behaviour: behaviour, rejection.policy)
        rejection.spoil(&spoiled)
        #expect(
            refusal { _ = try spoiled.register() } == refused(rejection.code, .registration(rejection.step))
        )
    }
}
