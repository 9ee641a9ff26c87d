import HTTPTypes
import HummingbirdTesting
import Logging
import Synchronization
import Testing
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// Remembers every line, metadata included.
private final class Lines: Sendable {
    private let kept = Mutex<[String]>([])
    var all: [String] { kept.withLock { $0 } }
    func add(_ line: String) { kept.withLock { $0.append(line) } }
}

private struct RememberingHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        lines.add("\(event.level) \(event.message) \(all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })")
    }
}

@Suite struct `The log` {
    @Test func `says what was asked and how it went, and never who, with what, or which secret`() async throws {
        let lines = Lines()
        let server = try WardServer(
            configuration: ServerConfiguration(),
            store: MemoryAccountStore(),
            logger: Logger(label: "test") { _ in RememberingHandler(lines: lines) }
        )
        try await server.application().test(.router) { client in
            let ada = Visitor(client, at: "http://localhost:8080")
            ada.userAgent = "Secretive/1.0"
            let made = try await ada.register("ada.lovelace")
            let token = String(try #require(ada.cookie).dropFirst("ward=".count))
            let id = try #require(made["passkey", "id"]?.stringValue)
            try await ada.patch("account/passkeys/\(id)", ["name": "Lovelaces Telefon"])
            try await ada.get("/api/v1/account?secret=query")
            try await ada.signIn("ada.lovelace")
            let start = try await ada.beginSignIn()
            var response = try ada.authenticator.get(start.options)
            response.signature[9] ^= 1
            _ = try await ada.finishSignIn(start.ceremony, response)
            try await ada.send(.post, "sign-in/verify", Array(#"{"ceremony":"gibberish-in-a-body"}"#.utf8))
            try await ada.get("/nothing-to-see/ada.lovelace")

            let log = lines.all.joined(separator: "\n")
            for word in [
                "ada.lovelace", token, id, start.ceremony, start.options.challenge.base64URL, "Lovelaces Telefon",
                "gibberish", "query", "Secretive", made["account", "id"]?.stringValue ?? "-", "nothing-to-see",
            ] {
                #expect(!log.contains(word), "\(word)")
            }
            #expect(log.contains("method=POST"))
            #expect(log.contains("route=/api/v1/registration/verify"))
            #expect(log.contains("route=/api/v1/account/passkeys/{id}"))
            #expect(log.contains("status=201"))
            #expect(log.contains("code=sign_in_failed"))
            #expect(log.contains("reason=signature_invalid"))
            #expect(log.contains("request.id="))
        }
    }

    @Test func `a passkey that may have been copied is noted`() async throws {
        let lines = Lines()
        let server = try WardServer(
            configuration: ServerConfiguration(),
            store: MemoryAccountStore(),
            logger: Logger(label: "test") { _ in RememberingHandler(lines: lines) }
        )
        try await server.application().test(.router) { client in
            let ada = Visitor(client, at: "http://localhost:8080")
            ada.authenticator.behaviour.signCountStep = 5
            try await ada.register("ada")
            ada.authenticator.behaviour.signCountStep = 0
            try await ada.signIn()
            #expect(lines.all.contains { $0.hasPrefix("warning") && $0.contains("signal=sign_count_regressed") })
        }
    }
}
