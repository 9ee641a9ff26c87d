import Testing
import WardCOSE
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

/// A sign-in that is right but for one thing: without `spoil` it is accepted, with it refused by the step that owns it.
struct AuthenticationRejection: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: Int
    let code: VerificationError.Code
    let policy: @Sendable (inout RelyingPartyPolicy) -> Void
    let behaviour: @Sendable (inout VirtualAuthenticator.Behaviour) -> Void
    /// Breaks the one thing after the registration; it may change the record that is found.
    let spoil: @Sendable (inout RelyingPartyFixture, inout CredentialRecord) -> Void

    init(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        policy: @escaping @Sendable (inout RelyingPartyPolicy) -> Void = { _ in },
        behaviour: @escaping @Sendable (inout VirtualAuthenticator.Behaviour) -> Void = { _ in },
        spoil: @escaping @Sendable (inout RelyingPartyFixture, inout CredentialRecord) -> Void
    ) {
        testDescription = description
        self.step = step
        self.code = code
        self.policy = policy
        self.behaviour = behaviour
        self.spoil = spoil
    }

    /// Breaks the client data before it is hashed and signed.
    static func clientData(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable (CollectedClientData) -> CollectedClientData
    ) -> Self {
        .init(description, step, code) { fixture, _ in fixture.authenticator.faults.clientData = change }
    }

    /// Breaks the client data's bytes before they are hashed and signed.
    static func json(_ description: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Self {
        .init(description, 9, .malformedResponse) { fixture, _ in fixture.authenticator.faults.clientDataJSON = change }
    }

    /// Breaks the authenticator data before it is signed.
    static func data(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Self {
        .init(description, step, code) { fixture, _ in fixture.authenticator.faults.authenticatorData = change }
    }

    /// Breaks the signature.
    static func signature(_ description: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> Self {
        .init(description, 21, .signatureInvalid) { fixture, _ in fixture.authenticator.faults.signature = change }
    }

    /// Breaks the answer after it was signed.
    static func response(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable (inout AuthenticationResponse) -> Void
    ) -> Self {
        .init(description, step, code) { fixture, _ in
            fixture.authenticator.faults.authentication = { response in
                var response = response
                change(&response)
                return response
            }
        }
    }

    /// Breaks the record.
    static func record(
        _ description: String,
        _ step: Int,
        _ code: VerificationError.Code,
        _ change: @escaping @Sendable (inout CredentialRecord) -> Void
    ) -> Self {
        .init(description, step, code) { _, record in change(&record) }
    }
}

/// Each MUST of WebAuthn Level 3, §7.2, and the step it stands at:
///
/// | step | what is checked | here |
/// |---|---|---|
/// | 1-3 | the ceremony is a sign-in to this RP ID, and in time | `CeremonyTests` |
/// | 5 | the credential was asked for | `CeremonyTests` |
/// | 6 | somebody is named, and owns the credential | `people`, `CeremonyTests` |
/// | 7 | the authenticator data is whole | `data` |
/// | 8-9 | the client data is a JSON object with its members | `json` |
/// | 10-14 | type, challenge, origin, crossOrigin, topOrigin | `clientData` |
/// | 15-18 | rpIdHash, UP, UV, BS without BE | `data` |
/// | 19, 22 | what the service decides on drift and counters | `decisions` |
/// | 20-21 | the signature, over these bytes and under this key | `signature` |
/// | 23-24 | extension outputs nobody asked for; the changed record | `AcceptanceTests` |
@Suite struct `Authentication rejections` {
    private static func flags(
        _ without: AuthenticatorData.Flags,
        _ with: AuthenticatorData.Flags
    ) -> @Sendable ([UInt8]) -> [UInt8] {
        `Registration rejections`.flags(without: without, with: with)
    }

    static let people: [AuthenticationRejection] = [
        .response("nobody is named", 6, .userHandleMissing) { $0.userHandle = nil },
        .response("somebody else is named", 6, .credentialNotFound) {
            $0.userHandle = RelyingPartyFixture.person(2).id
        },
        .response("another credential", 6, .credentialNotFound) {
            $0.id = CredentialID($0.id.bytes.flipped(at: 0)) ?? $0.id
        },
        .record("a record of somebody else", 6, .credentialNotFound) {
            $0.userHandle = RelyingPartyFixture.person(2).id
        },
        .record("a record of another credential", 6, .credentialNotFound) {
            $0.id = CredentialID($0.id.bytes.flipped(at: 0)) ?? $0.id
        },
        .record("a record of another RP ID", 6, .credentialNotFound) { $0.rpID = "example.net" },
    ]

    static let clientData: [AuthenticationRejection] = [
        .json("no JSON", { _ in [] }),
        .json("cut short", { Array($0.dropLast()) }),
        .json("a byte behind", { $0 + [0x20, 0x7d] }),
        .json("invalid UTF-8", { $0.extended(Array(",\"x\":\"".utf8) + [0xff, 0x22]) }),
        .json("a member twice", { $0.extended(",\"challenge\":\"AAAA\"") }),
        .clientData("a registration's type", 10, .typeMismatch) { $0.changed(type: "webauthn.create") },
        .clientData("no type", 10, .typeMismatch) { $0.changed(type: "") },
        .clientData("another challenge", 11, .challengeMismatch) {
            $0.changed(challenge: Base64URL.encode([UInt8](repeating: 9, count: 32)))
        },
        .clientData("a challenge with padding", 11, .challengeMismatch) { $0.changed(challenge: $0.challenge + "=") },
        .clientData("an origin nobody listed", 12, .originNotAllowed) { $0.changed(origin: "https://evil.example") },
        .clientData("an origin below the RP ID that nobody listed", 12, .originNotAllowed) {
            $0.changed(origin: "https://blog.example.com")
        },
        .clientData("framed", 13, .crossOriginNotAllowed) { $0.changed(crossOrigin: true) },
        .clientData("a top origin without a frame", 14, .topOriginNotAllowed) {
            $0.changed(topOrigin: "https://login.example.com")
        },
    ]

    static let data: [AuthenticationRejection] = [
        .data("36 bytes", 7, .malformedResponse) { Array($0[..<36]) },
        .data("bug class 24: a byte behind", 7, .malformedResponse) { $0 + [0] },
        .data("extensions announced and absent", 7, .malformedResponse, flags([], .extensionData)),
        .data("a credential announced and absent", 7, .malformedResponse, flags([], .attestedCredentialData)),
        .data("another RP ID", 15, .rpIDMismatch) { sha256(Array("evil.example".utf8)) + $0[32...] },
        .data("one bit of the RP ID's hash", 15, .rpIDMismatch) { $0.flipped(at: 0, mask: 0x80) },
        .data("bug class 32: no hash", 15, .rpIDMismatch) { [UInt8](repeating: 0, count: 32) + $0[32...] },
        .data("bug class 32: the hash of nothing", 15, .rpIDMismatch) { sha256([]) + $0[32...] },
        .data("bug class 2: nobody there", 16, .userNotPresent, flags(.userPresent, [])),
        .data("nobody verified", 17, .userNotVerified, flags(.userVerified, [])),
        .data("backed up without being eligible", 18, .backupStateInvalid, flags(.backupEligible, [])),
    ]

    static let signature: [AuthenticationRejection] = [
        .signature("one bit changed") { $0.flipped(at: $0.count - 1) },
        .signature("none") { _ in [] },
        .signature("bug class 28: a byte behind") { $0 + [0] },
        .signature("bug class 28: r and s zero") { _ in hex("3006020100020100") },
        .signature("bug class 28: r and s one") { _ in hex("3006020101020101") },
        .signature("bug class 28: no DER, but r and s alone") { _ in [UInt8](repeating: 1, count: 64) },
        .signature("bug class 28: a length in long form") { [0x30, 0x81] + $0[1...] },
        .signature("bug class 28: a length without end") { [0x30, 0x80] + $0[2...] + [0, 0] },
        .signature("bug class 28: an integer with a zero too many") {
            [0x30, $0[1] + 1, 0x02, $0[3] + 1, 0x00] + $0[4...]
        },
        .signature("bug class 28: a sequence inside a sequence") { [0x30, UInt8($0.count)] + $0 },
        .response("other client data", 21, .signatureInvalid) {
            $0.clientDataJSON = $0.clientDataJSON.extended(",\"x\":1")
        },
        .response("another counter", 21, .signatureInvalid) { $0.authenticatorData[36] ^= 1 },
        .response("a reserved flag set afterwards", 21, .signatureInvalid) { $0.authenticatorData[32] ^= 0x20 },
        .record("another key", 21, .signatureInvalid) {
            $0.publicKey = try! COSEPrivateKey.generate(.es256).publicKey.encoded
        },
        .record("a key of another algorithm", 21, .signatureInvalid) {
            $0.publicKey = `Registration rejections`.Key.ed25519
        },
        .record("a stored key that cannot be read", 21, .storedKeyInvalid) { $0.publicKey = [0xa0] },
        .record("a stored key that is not on its curve", 21, .storedKeyInvalid) {
            $0.publicKey = $0.publicKey.flipped(at: $0.publicKey.count - 1)
        },
    ]

    static let decisions: [AuthenticationRejection] = [
        .init(
            "bug class 37: verified by a means that was not there at registration",
            17,
            .userNotVerified,
            behaviour: { ($0.isBackupEligible, $0.isBackedUp) = (false, false) },
            spoil: { _, record in record.uvInitialized = false }
        ),
        .init(
            "a credential that became eligible for backup",
            19,
            .backupEligibilityChanged,
            policy: { $0.backupEligibilityChange = .refuse },
            behaviour: { ($0.isBackupEligible, $0.isBackedUp) = (false, false) },
            spoil: { fixture, _ in fixture.authenticator.behaviour.isBackupEligible = true }
        ),
        .init(
            "a credential that is no longer eligible for backup",
            19,
            .backupEligibilityChanged,
            policy: { $0.backupEligibilityChange = .refuse },
            spoil: { fixture, _ in
                (fixture.authenticator.behaviour.isBackupEligible, fixture.authenticator.behaviour.isBackedUp) = (
                    false, false
                )
            }
        ),
        .init(
            "a counter that stands still",
            22,
            .signCountRegressed,
            policy: { $0.signCountRegress = .refuse },
            behaviour: { $0.signCountStep = 1 },
            spoil: { fixture, _ in fixture.authenticator.behaviour.signCountStep = 0 }
        ),
        .init(
            "a counter that went back",
            22,
            .signCountRegressed,
            policy: { $0.signCountRegress = .refuse },
            behaviour: { $0.signCountStep = 1 },
            spoil: { _, record in record.signCount = 1_000 }
        ),
        .init(
            "a counter that went back to zero",
            22,
            .signCountRegressed,
            policy: { $0.signCountRegress = .refuse },
            spoil: { _, record in record.signCount = 1 }
        ),
    ]

    @Test(arguments: [people, clientData, data, signature, decisions].flatMap { $0 })
    func `one spoiled thing is refused by the step that owns it`(rejection: AuthenticationRejection) throws {
        var behaviour = VirtualAuthenticator.Behaviour()
        rejection.behaviour(&behaviour)
        var fixture = try RelyingPartyFixture(behaviour: behaviour, rejection.policy)
        var record = try fixture.register().credential
        var sound = fixture
        #expect(refusal { _ = try sound.signIn(with: record) } == "accepted")

        rejection.spoil(&fixture, &record)
        #expect(
            refusal { _ = try fixture.signIn(with: record) } == refused(rejection.code, .authentication(rejection.step))
        )
    }
}
