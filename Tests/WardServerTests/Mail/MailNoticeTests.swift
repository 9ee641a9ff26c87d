import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A service that sends mail into a folder.
private struct MailFixture {
    let world: ServiceFixture
    let store: MemoryAccountStore
    let folder: URL

    static func with(_ body: @escaping @Sendable (MailFixture) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-mail-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = ServerConfiguration()
        configuration.mail = MailSettings(route: "folder:\(folder.path)", sender: "ward@login.example")
        let store = MemoryAccountStore()
        try await withService(configuration, store: store) { world in
            try await body(MailFixture(world: world, store: store, folder: folder))
        }
    }

    /// The subjects of all messages that were sent.
    func messages() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".eml") }
            .compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }

    /// Waits until all stored messages were sent.
    func sent() async throws -> [String] {
        while try await store.read({ try $0.mailCount() }) > 0 { try await Task.sleep(for: .milliseconds(20)) }
        return messages()
    }

    func account(_ name: String = "ada") async throws -> Account {
        try #require(try await store.read { try $0.account(username: name) })
    }

    /// A person whose address is confirmed.
    func member(_ name: String = "ada") async throws -> Visitor {
        let visitor = world.visitor()
        try await visitor.register(name)
        let account = try await account(name)
        let address = try EmailAddress("\(name)@example.com")
        let email = AccountEmail(
            accountID: account.id,
            confirmed: .init(address, at: world.effects.now),
            language: "en"
        )
        try await store.write { try $0.setEmail(email) }
        return visitor
    }

    /// Stores a link, and returns its token.
    func link(
        _ purpose: MailLink.Purpose,
        to address: String,
        of account: Account,
        lasting seconds: Int64 = 60
    ) async throws -> JSONValue {
        let token = LinkToken.random(using: world.effects.effects.randomBytes)
        let now = world.effects.now
        let link = MailLink(
            tokenHash: token.hash,
            accountID: account.id,
            purpose: purpose,
            address: try EmailAddress(address),
            createdAt: now,
            expiresAt: now + seconds
        )
        try await store.write { try $0.insert(link) }
        return ["token": .string(token.text)]
    }
}

@Suite struct `Mail about an account` {
    @Test func `sign-ins have a limit of their own`() async throws {
        try await MailFixture.with { fixture in
            let ada = try await fixture.member()
            for _ in 0..<25 {
                let elsewhere = ada.elsewhere()
                try await elsewhere.signIn()
            }
            ada.authenticator = VirtualAuthenticator(origin: ada.authenticator.origin)
            try await ada.register()
            let sent = try await fixture.sent()
            #expect(sent.count { $0.contains("Subject: Sign-in from a new browser") } == 20)
            #expect(sent.count { $0.contains("Subject: New passkey for your account") } == 1)
        }
    }

    @Test func `a browser that signed in before is not told again`() async throws {
        try await MailFixture.with { fixture in
            let ada = try await fixture.member()
            ada.cookie = nil
            for _ in 0..<3 { #expect(try await ada.signIn().status == .ok) }
            #expect(try await fixture.sent() == [])
            let elsewhere = ada.elsewhere()
            for _ in 0..<3 { #expect(try await elsewhere.signIn().status == .ok) }
            #expect(try await fixture.sent().count == 1)
        }
    }

    @Test func `a full outbox takes no new addresses, and still tells what happened`() async throws {
        try await MailFixture.with { fixture in
            let ada = try await fixture.member()
            let account = try await fixture.account()
            let address = try EmailAddress("eve@example.com")
            let now = fixture.world.effects.now
            try await fixture.store.write { tx in
                for number in 0..<1_000 {
                    let id = [UInt8(number & 255), UInt8(number >> 8)]
                    try tx.insert(
                        OutboxMail(
                            id: id,
                            accountID: account.id,
                            kind: .passkeyAdded,
                            address: address,
                            language: "en",
                            username: "eve",
                            createdAt: now,
                            dueAt: .max
                        )
                    )
                }
            }
            #expect(
                try await ada.put("account/email", ["address": "new@example.com"]).refusal == "429 too_many_requests"
            )
            #expect(try await ada.put("account/password", ["password": .string(Visitor.password)]).status == .noContent)
            while fixture.messages().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            #expect(fixture.messages().first?.contains("Subject: New password for your account") == true)
        }
    }

    @Test func `a link works once, for its purpose and its time`() async throws {
        try await MailFixture.with { fixture in
            let ada = try await fixture.member()
            let account = try await fixture.account()
            let stranger = fixture.world.visitor()
            let confirmation = try await fixture.link(.confirmation, to: "ada@example.com", of: account)
            #expect(try await stranger.post("email/alarm", confirmation).refusal == "403 mail_link_not_valid")
            #expect(
                try await stranger.post("email/confirmation", confirmation).refusal == "403 mail_link_not_valid",
                "no address waits"
            )
            let alarm = try await fixture.link(.alarm, to: "ada@example.com", of: account)
            #expect(try await stranger.post("email/confirmation", alarm).refusal == "403 mail_link_not_valid")
            let late = try await fixture.link(.alarm, to: "ada@example.com", of: account)
            #expect(try await ada.isSignedIn())
            #expect(try await stranger.post("email/alarm", alarm).status == .noContent)
            #expect(try await !ada.isSignedIn())
            #expect(try await stranger.post("email/alarm", alarm).refusal == "403 mail_link_not_valid")
            fixture.world.effects.advance(by: 60)
            #expect(try await ada.signIn().status == .ok)
            #expect(try await stranger.post("email/alarm", late).refusal == "403 mail_link_not_valid")
            #expect(try await ada.isSignedIn())
            for wrong: JSONValue in [["token": ""], ["token": "x"], ["token": 1], [:], []] {
                for path in ["email/alarm", "email/confirmation"] {
                    let status = try await stranger.post(path, wrong).status
                    #expect(status == .forbidden || status == .badRequest)
                }
            }
        }
    }

    @Test func `a page of another origin uses no link`() async throws {
        try await MailFixture.with { fixture in
            _ = try await fixture.member()
            let alarm = try await fixture.link(.alarm, to: "ada@example.com", of: try await fixture.account())
            let other = fixture.world.visitor(at: "https://evil.example")
            #expect(try await other.post("email/alarm", alarm).refusal == "403 origin_not_allowed")
            #expect(try await fixture.world.visitor().post("email/alarm", alarm).status == .noContent)
        }
    }

    @Test func `an alarm forgets an address that a thief gave`() async throws {
        try await MailFixture.with { fixture in
            let ada = try await fixture.member()
            let account = try await fixture.account()
            #expect(try await ada.put("account/email", ["address": "eve@example.com"]).status == .noContent)
            let confirmation = try await fixture.link(.confirmation, to: "eve@example.com", of: account)
            let alarm = try await fixture.link(.alarm, to: "ada@example.com", of: account)
            #expect(try await ada.post("email/alarm", alarm).status == .noContent)
            #expect(try await ada.post("email/confirmation", confirmation).refusal == "403 mail_link_not_valid")
            let email = try await fixture.store.read { try $0.email(of: account.id) }
            #expect(email?.confirmed?.address.text == "ada@example.com" && email?.pending == nil)
        }
    }
}
