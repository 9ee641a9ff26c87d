// Makes an account with a passkey and signs in with it, without a browser: a virtual authenticator answers.
import WardRelyingParty
import WardTesting
import WardWebAuthn

// snippet.show
let relyingParty = try RelyingParty(id: "example.com", name: "Example", origins: ["https://example.com"])
let store = MemoryCredentialStore()
let anna = PublicKeyCredentialUserEntity(id: .random(), name: "anna", displayName: "Anna")

let registration = try await relyingParty.beginRegistration(for: anna, in: store)
var browser = VirtualAuthenticator(origin: "https://example.com")  // in a page: await makePasskey(options)
let made = try browser.create(registration.options).json
let passkey = try await relyingParty.finishRegistration(registration.ceremony, made, in: store)

let signIn = try await relyingParty.beginAuthentication(in: store)
let answer = try browser.get(signIn.options).json  // in a page: await usePasskey(options)
let verified = try await relyingParty.finishAuthentication(signIn.ceremony, answer, in: store)
print(verified.credential.id == passkey.credential.id, verified.userVerified, verified.signals)
// snippet.hide
