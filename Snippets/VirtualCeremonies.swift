// Prints ceremonies of the virtual authenticator, one JSON object a line, so that other libraries can verify them.
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

// snippet.show
var policy = RelyingPartyPolicy()
policy.algorithms += [.es512, .mlDSA65]
let relyingParty = try RelyingParty(
    id: "example.com",
    name: "Example",
    origins: ["https://example.com"],
    policy: policy
)
let anna = PublicKeyCredentialUserEntity(id: .random(), name: "anna", displayName: "Anna")

for attestation in [VirtualAuthenticator.Attestation.none, .packedSelf] {
    for (name, algorithms) in [("ES256", [-7]), ("EdDSA", [-8]), ("ES512", [-36]), ("ML-DSA-65", [-49])] {
        var browser = VirtualAuthenticator(origin: "https://example.com")
        browser.behaviour.attestation = attestation
        browser.behaviour.algorithms = algorithms.map { .init(rawValue: $0) }
        browser.behaviour.signCountStep = 1
        browser.behaviour.isUserVerified = name == "ES256"
        var request = RegistrationRequest()
        request.userVerification = name == "ES256" ? .required : .discouraged

        let (creation, ceremony) = relyingParty.registrationOptions(for: anna, request: request)
        let made = try browser.create(creation)
        let record = try relyingParty.verify(made, for: ceremony).credential
        show("registration", name, attestation, creation.challenge, request.userVerification, made.value, [])

        let (options, _) = relyingParty.authenticationOptions()
        let signed = try browser.get(options)
        show(
            "authentication",
            name,
            attestation,
            options.challenge,
            request.userVerification,
            signed.value,
            [
                .init("publicKey", .string(Base64URL.encode(record.publicKey))),
                .init("signCount", .integer(Int64(record.signCount))),
            ]
        )
    }
}
// snippet.hide

func show(
    _ type: String,
    _ name: String,
    _ attestation: VirtualAuthenticator.Attestation,
    _ challenge: Challenge,
    _ verification: RelyingPartyPolicy.UserVerification?,
    _ credential: JSONValue,
    _ more: [JSONValue.Member]
) {
    let members: [JSONValue.Member] = [
        .init("type", .string(type)), .init("name", .string("\(name), \(attestation)")), .init("rpId", "example.com"),
        .init("origin", "https://example.com"), .init("challenge", .string(challenge.base64URL)),
        .init("userVerification", .bool(verification == .required)), .init("credential", credential),
    ]
    print(JSONValue.object(members + more).text)
}
