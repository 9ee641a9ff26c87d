import Foundation
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A service that sends mail into a folder.
struct MailFixture {
    let world: ServiceFixture
    let store: MemoryAccountStore
    let folder: URL

    static func with(helpers: Bool = false, _ body: @escaping @Sendable (MailFixture) async throws -> Void) async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-mail-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = ServerConfiguration()
        configuration.mail = MailSettings(route: "folder:\(folder.path)", sender: "ward@login.example")
        configuration.usesRecoveryHelpers = helpers
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
        while try await store.read({ try $0.mailCount(by: .mail) }) > 0 { try await Task.sleep(for: .milliseconds(20)) }
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
            address: .email(try EmailAddress(address)),
            createdAt: now,
            expiresAt: now + seconds
        )
        try await store.write { try $0.insert(link) }
        return ["token": .string(token.text)]
    }
}
