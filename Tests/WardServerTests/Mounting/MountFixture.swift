import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import WardAccounts
import WardServer
import WardTesting
import WardText

/// A context as an application has it; in tests every request comes from this machine.
struct AppContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = try? SocketAddress(ipAddress: "127.0.0.1", port: 1)
    }
}

/// Runs an application with a home page, a page that says who is signed in, and Ward's routes between them.
func withApplication(
    _ configuration: ServerConfiguration = ServerConfiguration(),
    store: some AccountStore = MemoryAccountStore(),
    _ body: @escaping @Sendable (ServiceFixture) async throws -> Void
) async throws {
    let effects = TestEffects(seed: "\(UInt64.random(in: .min ... .max))")
    let server = try WardServer(configuration: configuration, store: store, effects: effects.effects, logger: .silent)
    let ward = try await server.routes()
    let router = Router(context: AppContext.self)
    router.get("/") { _, _ in "home" }
    ward.mount(on: router)
    router.get("account") { _, _ in "never reached" }
    router.on("who", method: .get) { request, _ in try await answer(ward, request) }
    router.on("who", method: .post) { request, _ in try await answer(ward, request) }
    router.post("upload") { request, _ in
        "\(try await request.body.collect(upTo: 1_000_000).readableBytes) bytes"
    }
    let application = Application(router: router, server: ward.httpServer, services: ward.services, logger: .silent)
    try await application.test(.router) { client in
        try await body(ServiceFixture(effects: effects, client: client, origins: configuration.origins))
    }
}

/// What the application knows about the person.
private func answer(_ ward: WardRoutes<some AccountStore>, _ request: Request) async throws -> Response {
    guard let session = try await ward.session(of: request) else {
        return .redirect(to: ward.signInAddress(returningTo: "/who?a=1&b=2"), type: .found)
    }
    let body: JSONValue = [
        "account": .string(session.accountID.text), "session": .string(session.sessionID.text),
        "username": .string(session.username), "displayName": .string(session.displayName),
        "authenticatedAt": .integer(session.authenticatedAt),
        "methods": .array(session.methods.map(\.rawValue).sorted().map { .string($0) }),
        "groups": .array(session.groups.map { .string($0.text) }),
        "userVerified": .bool(session.userVerified),
    ]
    return Response(
        status: .ok,
        headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(bytes: body.serialized))
    )
}
