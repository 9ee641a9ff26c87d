// An app with Ward's sign-in built in: `swift run --package-path Examples HummingbirdNotes`, then open http://localhost:8082.
import Hummingbird
import Logging
import NIOCore
import WardServer
import WardStoreSQLite

/// Ward has to know the address of the client: it counts tries for each address.
struct NotesContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8082
let logger = Logger(label: "notes")
var configuration = ServerConfiguration(rpName: "Notes", origins: ["http://localhost:\(port)"])
configuration.homeURL = "http://localhost:\(port)/"
// Nobody is between this app and its clients. Behind a proxy, give the proxy's address.
configuration.trustedProxies = ["none"]
// The accounts are gone when the program ends. For a file: SQLiteAccountStore(path:).
let store = try SQLiteAccountStore.inMemory()
let ward = try await WardServer(configuration: configuration, store: store, logger: logger).routes()
let notes = Notes()
let router = Router(context: NotesContext.self)

// The app's own first page takes the place of Ward's.
router.get("/") { _, _ in Page.home }
ward.mount(on: router)

// MARK: A page that only the person sees

router.get("notes") { request, _ -> Response in
    guard let session = try await ward.session(of: request) else {
        return .redirect(to: ward.signInAddress(returningTo: "/notes"), type: .found)
    }
    return Page.notes(notes.all(of: session.accountID), of: session.displayName)
}

router.post("notes") { request, context -> Response in
    // Without the page's own origin there is no session here, so no other site can post with the person's cookie.
    guard let session = try await ward.session(of: request) else { throw HTTPError(.unauthorized) }
    let form = try await URLEncodedFormDecoder().decode(NewNote.self, from: request, context: context)
    notes.add(form.text, of: session.accountID)
    return .redirect(to: "/notes")
}

let app = Application(
    router: router,
    server: ward.httpServer,
    configuration: ApplicationConfiguration(
        address: .hostname("localhost", port: port),
        availableConnectionsDelegate: ward.availableConnections
    ),
    services: ward.services,
    logger: logger
)
try await app.runService()
