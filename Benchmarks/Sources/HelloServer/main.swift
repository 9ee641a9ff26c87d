// The bare framework: what a request costs before the service does anything.
import Hummingbird
import Logging

let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8080
let router = Router()
router.get("/") { _, _ in "hello" }
router.post("/") { request, _ in
    let body = try await request.body.collect(upTo: 65_536)
    return "\(body.readableBytes)"
}
var logger = Logger(label: "hello")
logger.logLevel = .error
let application = Application(
    router: router,
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
    logger: logger
)
try await application.runService()
