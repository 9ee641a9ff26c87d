import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A service with helpers: Bob helps Ada since a week, and somebody has a new device and Ada's mailbox.
struct HelperFixture {
    let mail: MailFixture
    let ada: Visitor
    let bob: Visitor
    let lost: Visitor
    /// What names the help in the API.
    let id: String

    var world: ServiceFixture { mail.world }

    static func with(_ body: @escaping @Sendable (HelperFixture) async throws -> Void) async throws {
        try await MailFixture.with(helpers: true) { mail in
            let (ada, bob) = (try await mail.member(), try await mail.member("bob"))
            let id = try await accepted(ada, bob)
            // A message that waits for days is not sent any more.
            _ = try await mail.sent()
            mail.world.effects.advance(by: HelperRules.delay)
            try await bob.signIn()
            try await body(HelperFixture(mail: mail, ada: ada, bob: bob, lost: mail.world.visitor(), id: id))
        }
    }

    /// Ada names Bob, and Bob accepts; what names the help in the API.
    static func accepted(_ ada: Visitor, _ bob: Visitor, name: String = "BOB") async throws -> String {
        #expect(try await ada.post("account/helpers", ["username": .string(name)]).status == .created)
        let wishes = try await bob.get("account/helping")["helping"]?.arrayValue ?? []
        let id = try #require(wishes.last?["id"]?.stringValue)
        #expect(try await bob.put("account/helping/\(id)", [:]).status == .noContent)
        return id
    }

    /// Asks for a link; the token of the one that comes.
    func link(besides known: [String] = []) async throws -> String {
        #expect(try await lost.post("recovery", ["username": "ada"]).status == .accepted)
        let tokens = try await mail.sent().flatMap { message in
            message.replacing("=\r\n", with: "").replacing("=3D", with: "=").matches(
                of: /#recovery=([A-Za-z0-9_-]{43})/
            ).map { String($0.output.1) }
        }
        return try #require(tokens.first { !known.contains($0) })
    }

    /// Asks the helpers, and waits until the notice has left; the code.
    func code(_ token: String) async throws -> String {
        let answer = try await lost.post("recovery/helpers", ["token": .string(token)])
        #expect(answer["helpers"]?["state"] == "asked")
        _ = try await mail.sent()
        return try #require(answer["code"]?.stringValue)
    }

    func state(_ token: String) async throws -> Answer {
        try await lost.post("recovery/state", ["token": .string(token)])
    }

    func approve(_ code: String, by visitor: Visitor? = nil) async throws -> Answer {
        try await (visitor ?? bob).post("account/helping/\(id)/approval", ["code": .string(code)])
    }

    /// Adds a passkey with the link.
    func recover(_ token: String) async throws -> Answer {
        let answer = try await lost.post("registration/options", ["recovery": .string(token)])
        guard answer.status == .ok, let ceremony = answer["ceremony"]?.stringValue, let options = answer["publicKey"]
        else { return answer }
        let made = try lost.authenticator.create(try .init(json: options.serialized))
        return try await lost.finishRegistration(ceremony, made)
    }

    /// The events of a person's activity, newest first.
    static func events(_ visitor: Visitor) async throws -> [JSONValue] {
        try await visitor.get("account/activity")["activity"]?.arrayValue ?? []
    }
}
