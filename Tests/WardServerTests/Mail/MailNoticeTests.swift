import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardTesting
import WardText

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
                            address: .email(address),
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
