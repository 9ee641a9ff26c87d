// swift-format-ignore-file
// A Hummingbird service with passkeys: `swift run --package-path Examples HummingbirdPasskeys 8081`, then POST to its routes as a page would.
import Hummingbird
import WardRelyingParty
import WardTesting
import WardText
import WardWebAuthn

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8081
let relyingParty = try RelyingParty(id: "localhost", name: "Example", origins: ["http://localhost:\(port)"])
let store = MemoryCredentialStore()  // your database: conform it to CredentialStore
let router = Router()

func answer(_ ceremony: CeremonyID, _ options: some WebAuthnJSON) -> Response {
    let json: JSONValue = ["ceremony": .string("\(ceremony)"), "publicKey": options.value]
    return Response(
        status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: .init(bytes: json.serialized)))
}
func finish(
    _ request: Request, _ context: BasicRequestContext, _ verify: (CeremonyID, [UInt8]) async throws -> [UInt8]
) async throws -> String {
    guard let id = try CeremonyID(context.parameters.require("ceremony")) else { throw HTTPError(.notFound) }
    let json = Array(try await request.body.collect(upTo: 65_536).readableBytesView)
    do { return Base64URL.encode(try await verify(id, json)) } catch {
        throw error is VerificationError || error is WebAuthnError ? HTTPError(.badRequest, message: "\(error)") : error
    }
}

router.post("register/:name") { _, context in
    let name = try context.parameters.require("name")
    let user = PublicKeyCredentialUserEntity(id: .random(), name: name, displayName: name)
    let start = try await relyingParty.beginRegistration(for: user, in: store)
    return answer(start.ceremony, start.options)
}
router.post("register/finish/:ceremony") { request, context in
    try await finish(request, context) { try await relyingParty.finishRegistration($0, $1, in: store).credential.id.bytes }
}
router.post("sign-in") { _, _ in
    let start = try await relyingParty.beginAuthentication(in: store)
    return answer(start.ceremony, start.options)
}
router.post("sign-in/finish/:ceremony") { request, context in
    try await finish(request, context) {
        try await relyingParty.finishAuthentication($0, $1, in: store).credential.userHandle.bytes
    }
}
try await Application(router: router, configuration: .init(address: .hostname("localhost", port: port))).runService()
