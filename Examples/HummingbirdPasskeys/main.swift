// A Hummingbird service with passkeys: `swift run --package-path Examples HummingbirdPasskeys`, then open http://localhost:8081.
import Hummingbird
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8081
let relyingParty = try RelyingParty(id: "localhost", name: "Example", origins: ["http://localhost:\(port)"])
// Your database: conform it to CredentialStore. This one is gone when the program ends.
let credentials = MemoryCredentialStore()
let people = People()
let router = Router()

// MARK: Passkeys

/// Begins a registration: for a new account by its name, or for the account that is signed in.
router.post("register") { request, context in
    let json = try await request.json(context)
    let person =
        if let signedIn = people.signedIn(request) {
            signedIn
        } else {
            try people.newPerson(named: json["name"]?.stringValue ?? "")
        }
    let user = PublicKeyCredentialUserEntity(id: person.id, name: person.name, displayName: person.name)
    let start = try await relyingParty.beginRegistration(for: user, in: credentials)
    return Response.json(["ceremony": .string("\(start.ceremony)"), "publicKey": start.options.value])
}

/// Verifies the new passkey and signs its person in.
router.post("register/finish") { request, context in
    let (ceremony, response) = try await request.answer(context)
    let verified = try await checked {
        try await relyingParty.finishRegistration(ceremony, response, in: credentials) { verified in
            // Between the two calls somebody else may have taken the name. In a database, add the account in this transaction.
            guard people.add(verified.ceremony.user) else { throw CeremonyRefusal("the name is taken") }
            return verified.credential
        }.verified
    }
    return try people.signIn(verified.credential.userHandle)
}

/// Begins a sign-in: the person chooses the passkey, so no name is needed.
router.post("sign-in") { _, _ -> Response in
    let start = try await relyingParty.beginAuthentication(in: credentials)
    return Response.json(["ceremony": .string("\(start.ceremony)"), "publicKey": start.options.value])
}

/// Verifies the answer and signs the passkey's person in.
router.post("sign-in/finish") { request, context in
    let (ceremony, response) = try await request.answer(context)
    let verified = try await checked {
        try await relyingParty.finishAuthentication(ceremony, response, in: credentials)
    }
    return try people.signIn(verified.credential.userHandle)
}

// MARK: Sessions and the page

router.get("session") { request, _ in
    guard let person = people.signedIn(request) else { throw HTTPError(.unauthorized) }
    return Response.json(["name": .string(person.name)])
}
router.post("sign-out") { request, _ in people.signOut(request) }
router.get("/") { _, _ in Page.html }
router.get("page.js") { _, _ in Page.script }

try await Application(router: router, configuration: .init(address: .hostname("localhost", port: port))).runService()

// MARK: What requests and answers have in common

/// A refused answer is the client's fault, except where the service cannot read its own record: then Hummingbird answers 500.
func checked<Value>(_ verify: () async throws -> Value) async throws -> Value {
    do { return try await verify() } catch let error as VerificationError where error.code != .storedKeyInvalid {
        throw HTTPError(.badRequest, message: "\(error)")
    } catch let error as WebAuthnError {
        throw HTTPError(.badRequest, message: "\(error)")
    }
}

extension Request {
    /// The body as JSON, at most 64 KiB.
    func json(_ context: some RequestContext) async throws -> JSONValue {
        let body = try await body.collect(upTo: 65_536)
        do { return try JSONValue(Array(body.readableBytesView)) } catch {
            throw HTTPError(.badRequest, message: "\(error)")
        }
    }

    /// What the page sends after a prompt: the ceremony's ID and the credential's `toJSON()`.
    func answer(_ context: some RequestContext) async throws -> (CeremonyID, [UInt8]) {
        let json = try await json(context)
        guard let text = json["ceremony"]?.stringValue, let id = CeremonyID(text), let response = json["response"]
        else {
            throw HTTPError(.badRequest, message: "\"ceremony\" or \"response\" is missing")
        }
        return (id, response.serialized)
    }
}

extension Response {
    static func json(_ value: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: .init(bytes: value.serialized))
        )
    }
}
