import Crypto
import Foundation
import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// The owner of an account, with everything that proves it.
struct ExploredOwner: Sendable {
    let name: String
    let id: AccountID
    let password: String
    let authenticator: VirtualAuthenticator?
    let app: CodeApp?
    let recoveryCode: String?
}

/// A service with one account of each kind, and the account of a stranger who has one of everything.
struct SignInWorld: Sendable {
    let service: ServiceFixture
    let store: ForkedStore
    let owners: [AccountKind: ExploredOwner]
    let stranger: ExploredOwner
    /// The stranger's own sign-in in steps, which waits for a code.
    let strangersFlow: String
    /// The stranger's own sign-in with a passkey, which waits for its answer.
    let strangersCeremony: Started<PublicKeyCredentialRequestOptions>
    /// A sign-in of each owner in another browser, which waits for what follows the password.
    let otherFlows: [AccountKind: String]

    private static let strangersPassword = "seventeen quiet volcanoes"
    private static let number = "+49301234567"
    /// The codes that the stranger got, by the kind of message.
    static let strangersCodes: [Shown: String] = [.mailCode: "777777", .textCode: "888888"]

    static func with(_ body: @escaping @Sendable (SignInWorld) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ward-explorer-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let (rules, secrets) = (folder.appending(path: "rules.json"), folder.appending(path: "secrets"))
        let rule: JSONValue = ["rules": [["groups": ["staff"], "require": "passkey"]]]
        try Data(rule.serialized).write(to: rules)
        try Data("whsec_QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUI=\n".utf8).write(to: secrets)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secrets.path)
        var configuration = ServerConfiguration()
        configuration.policy = rules.path
        configuration.mail = MailSettings(
            route: "folder:\(folder.appending(path: "mail").path)",
            sender: "ward@login.example"
        )
        // Nobody listens there, and no message leaves the base.
        configuration.texts = TextSettings(address: "http://127.0.0.1:9", secretsFile: secrets.path)
        let store = ForkedStore()
        try await withService(
            configuration,
            store: store,
            passwordQueue: PasswordQueue(threads: 2),
            effects: TestEffects(seed: "sign-in explorer")
        ) { service in
            try await body(try await SignInWorld(service, store))
        }
    }

    private init(_ service: ServiceFixture, _ store: ForkedStore) async throws {
        (self.service, self.store) = (service, store)
        var owners: [AccountKind: ExploredOwner] = [:]
        for kind in AccountKind.allCases { owners[kind] = try await Self.owner(kind, service, store) }
        self.owners = owners
        let stranger = try await Self.stranger(service, store)
        self.stranger = stranger
        // The codes of the apps that were set up are used.
        service.effects.advance(by: 90)
        let browser = service.visitor()
        let begun = try await browser.signIn(stranger.name, password: stranger.password)
        strangersFlow = try #require(begun["flow"]?.stringValue)
        strangersCeremony = try await browser.beginSignIn(["username": .string(stranger.name)])
        for (kind, code) in Self.strangersCodes {
            try await Self.deliver(code, kind, to: stranger, at: service.effects.now, in: store.base)
        }
        var others: [AccountKind: String] = [:]
        for (kind, owner) in owners where kind.hasPassword {
            let answer = try await service.visitor().signIn(owner.name, password: owner.password)
            others[kind] = answer["flow"]?.stringValue
        }
        otherFlows = others
    }

    // MARK: Accounts

    private static func owner(
        _ kind: AccountKind,
        _ service: ServiceFixture,
        _ store: ForkedStore
    ) async throws -> ExploredOwner {
        let name = "owner.\(kind.rawValue.lowercased())"
        let visitor = visitor(service)
        if kind.hasPassword || kind == .passwordless {
            try await visitor.create(name)
            if kind.hasPasskey { try await visitor.register() }
        } else {
            try await visitor.register(name)
        }
        if kind.hasPasskey { try await visitor.signIn() }
        let app = kind.codes.contains(.appCode) ? try await visitor.addApp(at: service) : nil
        var recoveryCode: String?
        if kind.codes.contains(.recoveryCode) {
            recoveryCode = try await visitor.post("account/recovery-codes")["codes"]?.arrayValue?.first?.stringValue
            try #require(recoveryCode != nil)
        }
        if kind == .passwordless {
            let answer = try await visitor.delete("account/password")
            guard answer.status == .noContent else { throw Unexpected(answer) }
        }
        let id = try await id(name, in: store)
        if kind == .mail { try await wantMailCodes(visitor, id, name, at: service.effects.now, in: store) }
        if kind == .text { try await wantTextCodes(id, at: service.effects.now, in: store) }
        if kind == .ruled || kind == .ruledWithoutPasskey {
            try await store.write { tx in _ = try tx.setAccount(id: id, groups: [try GroupName("staff")]) }
        }
        return ExploredOwner(
            name: name,
            id: id,
            password: Visitor.password,
            authenticator: kind.hasPasskey ? visitor.authenticator : nil,
            app: app,
            recoveryCode: recoveryCode
        )
    }

    private static func stranger(_ service: ServiceFixture, _ store: ForkedStore) async throws -> ExploredOwner {
        let (name, visitor) = ("stranger", visitor(service))
        try await visitor.create(name, password: strangersPassword)
        try await visitor.register()
        try await visitor.signIn()
        let app = try await visitor.addApp(at: service)
        let codes = try await visitor.post("account/recovery-codes")["codes"]?.arrayValue ?? []
        let id = try await id(name, in: store)
        try await wantMailCodes(visitor, id, name, at: service.effects.now, in: store)
        try await wantTextCodes(id, at: service.effects.now, in: store)
        return ExploredOwner(
            name: name,
            id: id,
            password: strangersPassword,
            authenticator: visitor.authenticator,
            app: app,
            recoveryCode: try #require(codes.first?.stringValue)
        )
    }

    private static func visitor(_ service: ServiceFixture) -> Visitor {
        let visitor = service.visitor()
        visitor.authenticator = VirtualAuthenticator(
            origin: service.origins[0],
            effects: service.effects.effects
        )
        return visitor
    }

    private static func id(_ name: String, in store: ForkedStore) async throws -> AccountID {
        try await store.read { tx in try #require(try tx.account(username: name)).id }
    }

    private static func wantMailCodes(
        _ visitor: Visitor,
        _ id: AccountID,
        _ name: String,
        at now: Int64,
        in store: ForkedStore
    ) async throws {
        let email = AccountEmail(accountID: id, confirmed: .init(try address(name), at: now), language: "en")
        try await store.write { tx in try tx.setEmail(email) }
        let answer = try await visitor.put("account/mail-codes", [:])
        guard answer.status == .noContent else { throw Unexpected(answer) }
    }

    private static func wantTextCodes(_ id: AccountID, at now: Int64, in store: ForkedStore) async throws {
        let factor = FactorRecord(
            accountID: id,
            kind: .textCodes,
            key: id.bytes + [1],
            payload: Array(number.utf8),
            createdAt: now,
            confirmedAt: now
        )
        try await store.write { tx in try tx.setFactor(factor) }
    }

    private static func address(_ name: String) throws -> EmailAddress { try EmailAddress("\(name)@example.com") }

    // MARK: Messages

    /// Does what the sender of messages does with a code: it replaces the one before.
    static func deliver(
        _ code: String,
        _ kind: Shown,
        to owner: ExploredOwner,
        at now: Int64,
        in store: MemoryAccountStore
    ) async throws {
        let purpose: MailLink.Purpose = kind == .mailCode ? .signInCode : .textCode
        let place: MessageAddress =
            kind == .mailCode ? .email(try address(owner.name)) : .phone(try PhoneNumber(number))
        let id = owner.id
        try await store.write { tx in
            let secret = try tx.insertSecret(named: "sent-codes", [UInt8](repeating: 7, count: 32))
            let mac = HMAC<SHA256>.authenticationCode(
                for: id.bytes + Array(code.utf8),
                using: SymmetricKey(data: secret)
            )
            _ = try tx.deleteMailLinks(of: id, purpose)
            try tx.insert(
                MailLink(
                    tokenHash: Array(mac),
                    accountID: id,
                    purpose: purpose,
                    address: place,
                    createdAt: now,
                    expiresAt: now + MailLink.codeLifetime
                )
            )
        }
    }
}
