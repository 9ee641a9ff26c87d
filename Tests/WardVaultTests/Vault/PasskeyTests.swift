import Foundation
import Testing
import WardCOSE
import WardTesting
import WardVault
import WardWebAuthn

/// What an authenticator and a site's signals do to passkeys.
@Suite struct `Passkeys of a vault` {
    private func passkey(
        _ number: UInt8,
        _ site: String = "example.com",
        user: [UInt8] = [1],
        name: String = "alice",
        siteName: String = "Example",
        algorithm: COSEAlgorithmIdentifier = .es256
    ) -> StoredPasskey {
        StoredPasskey(
            credentialID: CredentialID([UInt8](repeating: number, count: 32))!,
            rpID: site,
            rpName: siteName,
            userHandle: UserHandle(user)!,
            userName: name,
            userDisplayName: name.capitalized,
            algorithm: algorithm,
            privateKey: SecretBytes([number]),
            createdAt: 1_700_000_000
        )
    }

    private func names(_ vault: Vault, _ id: ItemID) async throws -> [UInt8] {
        try await vault.item(id).passkeys.map { $0.credentialID.bytes[0] }
    }

    @Test func `a new passkey makes a login that is called what the site calls itself`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.addPasskey(passkey(1, "login.example.com"))
        let item = try await vault.item(id)
        #expect(item.title == "Example")
        #expect(item.kind == .login)
        #expect(item.username == "alice")
        #expect(item.sites == [Site("https://login.example.com")])
        #expect(item.passkeys == [passkey(1, "login.example.com")])
        #expect(item.createdAt == 1_700_000_000)
        #expect(try await vault.summaries(at: "https://login.example.com/").map(\.id) == [id])
        let unnamed = try await vault.addPasskey(passkey(2, "example.org", siteName: ""))
        #expect(try await vault.item(unnamed).title == "example.org")
        #expect(try await vault.history(of: id).map(\.change) == [.created])
        try await vault.close()
    }

    @Test func `a new passkey joins the login of the same domain and user name, or the item that is named`()
        async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let login = Item(title: "mine", sites: [Site("https://www.example.com/")], username: "Alice")
        let home = try await vault.add(login)
        #expect(try await vault.addPasskey(passkey(1)) == home)
        #expect(try await vault.item(home).title == "mine")
        let other = try await vault.add(Item(.note, title: "other"))
        #expect(try await vault.addPasskey(passkey(2), into: other) == other)
        #expect(try await names(vault, home) == [1])
        #expect(try await names(vault, other) == [2])
        let bob = try await vault.addPasskey(passkey(3, user: [2], name: "bob"))
        #expect(bob != home)
        await #expect(throws: VaultError(.itemMissing, "")) {
            try await vault.addPasskey(passkey(4), into: ItemID())
        }
        try await vault.write { try $0.trash(other) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.addPasskey(passkey(4), into: other) }
        #expect(try await vault.passkey(credentialID: passkey(4).credentialID) == nil)
        try await vault.close()
    }

    @Test func `a passkey of the same account is replaced only when the caller says so`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let home = try await vault.addPasskey(passkey(1))
        #expect(try await vault.addPasskey(passkey(2)) == home)
        #expect(try await names(vault, home) == [1, 2])
        let bob = try await vault.addPasskey(passkey(3, user: [2], name: "bob"))
        let elsewhere = try await vault.addPasskey(passkey(4, "login.example.com"))
        let entries = try await vault.status().entries
        #expect(try await vault.addPasskey(passkey(5, name: "renamed"), replacesSameAccount: true) == home)
        #expect(try await vault.status().entries == entries + 1)
        #expect(try await names(vault, home).filter { $0 != 4 } == [5])
        #expect(try await names(vault, bob) == [3])
        #expect(try await names(vault, elsewhere).contains(4))
        // What was replaced is in the history.
        let before = try #require(await vault.history(of: home).dropFirst().first)
        #expect(try await vault.item(home, revision: before.id).passkeys.map { $0.credentialID.bytes[0] }.contains(1))
        try await vault.close()
    }

    @Test func `passkeys of one account with two algorithms stand beside each other, and each replaces its own`()
        async throws
    {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let home = try await vault.addPasskey(passkey(1))
        for (number, algorithm) in [(2, COSEAlgorithmIdentifier.mlDSA65), (3, .mlDSA65), (4, .es256)] {
            let new = passkey(UInt8(number), algorithm: algorithm)
            #expect(try await vault.addPasskey(new, replacesSameAccount: true) == home)
        }
        #expect(try await names(vault, home) == [3, 4])
        #expect(try await vault.item(home).passkeys.map(\.algorithm) == [.mlDSA65, .es256])
        try await vault.close()
    }

    @Test func `a list of passkeys opens no item`() async throws {
        let fixture = try VaultFixture()
        var vault = try await fixture.create()
        var guarded = passkey(1)
        guarded.protection = 3
        try await vault.addPasskey(guarded)
        try await vault.addPasskey(passkey(2, user: [2], name: "bob", algorithm: .rs256))
        await vault.saveIndexNow()
        try await vault.close()
        // The index stays, and no item can be opened.
        try Tampering(fixture.location).execute("UPDATE log SET blob = zeroblob(length(blob)) WHERE blob IS NOT NULL")
        vault = try await fixture.unlocked()
        let listed = try await vault.passkeys(for: "example.com").map(\.passkey)
        let first = try #require(listed.first { $0.credentialID == guarded.credentialID })
        #expect(listed.count == 2 && first.protection == 3 && first.isBackupEligible)
        #expect(listed.map(\.canSign).count { $0 } == 1 && first.canSign)
        await #expect(throws: VaultError(.damaged, "")) {
            try await vault.passkey(credentialID: guarded.credentialID)
        }
    }

    @Test func `replaced passkeys leave all their items in one transaction`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        var used = passkey(1)
        used.lastUsedAt = 1_700_000_500
        let first = try await vault.add(Item(title: "a", passkeys: [used]))
        let second = try await vault.add(Item(title: "b", passkeys: [passkey(2), passkey(3, user: [9])]))
        let target = try await vault.add(Item(title: "c"))
        #expect(try await vault.addPasskey(passkey(4), into: target, replacesSameAccount: true) == target)
        #expect(try await names(vault, first).isEmpty)
        #expect(try await names(vault, second) == [3])
        #expect(try await names(vault, target) == [4])
        #expect(try await vault.addPasskey(passkey(5), replacesSameAccount: true) == target)
        try await vault.close()
    }

    @Test func `two passkeys never have one name, but one in the trash is in nobody's way`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let first = try await vault.addPasskey(passkey(1))
        await #expect(throws: VaultError(.conflict, "")) { try await vault.addPasskey(passkey(1)) }
        try await vault.write { try $0.trash(first) }
        #expect(try await vault.passkey(credentialID: passkey(1).credentialID) == nil)
        let second = try await vault.addPasskey(passkey(1))
        #expect(second != first)
        #expect(try await vault.passkey(credentialID: passkey(1).credentialID)?.item == second)
        await vault.saveIndexNow()
        await vault.lock()
        try await vault.unlock(with: VaultFixture.passphrase())
        #expect(try await vault.passkey(credentialID: passkey(1).credentialID)?.item == second)
        try await vault.write { try $0.trash(second) }
        #expect(try await vault.passkey(credentialID: passkey(1).credentialID) == nil)
        try await vault.close()
    }

    @Test func `a passkey that was brought in twice works from either item, and is removed from both`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let first = try await vault.add(Item(title: "a", passkeys: [passkey(1), passkey(2)]))
        let second = try await vault.add(Item(title: "b", passkeys: [passkey(1)]))
        try await vault.write { try $0.trash(second) }
        #expect(try await vault.passkey(credentialID: passkey(1).credentialID)?.item == first)
        try await vault.write { try $0.restore(second) }
        try await vault.removePasskey(credentialID: passkey(1).credentialID)
        #expect(try await names(vault, first) == [2])
        #expect(try await names(vault, second).isEmpty)
        #expect(try await vault.passkey(credentialID: passkey(1).credentialID) == nil)
        await #expect(throws: VaultError(.itemMissing, "")) {
            try await vault.removePasskey(credentialID: passkey(1).credentialID)
        }
        #expect(try await vault.history(of: first).count == 2)
        try await vault.close()
    }

    @Test func `a site that does not know a passkey hides it, and only its own`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.addPasskey(passkey(1))
        let name = passkey(1).credentialID
        fixture.world.advance(by: 50)
        #expect(try await !vault.hidePasskey(credentialID: name, rpID: "example.org"))
        #expect(try await !vault.hidePasskey(credentialID: CredentialID([1])!, rpID: "example.com"))
        #expect(try await vault.hidePasskey(credentialID: name, rpID: "example.com"))
        #expect(try await !vault.hidePasskey(credentialID: name, rpID: "example.com"))
        #expect(try await vault.passkeys(for: "example.com").isEmpty)
        #expect(try await vault.passkeys(for: "example.com", includingHidden: true).count == 1)
        #expect(try await vault.item(id).modifiedAt == 1_700_000_000)
        #expect(
            try await vault.hidePasskey(credentialID: name, rpID: "example.com", isHidden: false)
        )
        #expect(try await vault.passkeys(for: "example.com").count == 1)
        #expect(try await vault.history(of: id).map(\.change) == [.signalled, .signalled, .created])
        try await vault.close()
    }

    @Test func `of an account the passkeys that a site accepts are offered, and no others`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let first = try await vault.add(Item(title: "a", passkeys: [passkey(1), passkey(2), passkey(3, user: [2])]))
        let second = try await vault.add(Item(title: "b", passkeys: [passkey(4), passkey(5, "example.org")]))
        func hide(_ accepted: [UInt8]) async throws -> Int {
            try await vault.hidePasskeys(
                rpID: "example.com",
                userHandle: UserHandle([1])!,
                exceptFor: accepted.map { passkey($0).credentialID }
            )
        }
        func offered() async throws -> Set<UInt8> {
            try await Set(vault.passkeys(for: "example.com").map { $0.passkey.credentialID.bytes[0] })
        }
        let entries = try await vault.status().entries
        #expect(try await hide([1, 77]) == 2)
        #expect(try await offered() == [1, 3])
        #expect(try await vault.status().entries == entries + 2)
        #expect(try await hide([1]) == 0)
        #expect(try await vault.status().entries == entries + 2)
        // Named again, it is offered again.
        #expect(try await hide([2]) == 2)
        #expect(try await offered() == [2, 3])
        #expect(try await hide([]) == 1)
        #expect(try await vault.passkeys(for: "example.org").count == 1)
        #expect(try await names(vault, first).count == 3)
        #expect(try await names(vault, second).count == 2)
        try await vault.close()
    }

    @Test func `an account's new names reach all its passkeys`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(
            Item(title: "a", username: "alice", passkeys: [passkey(1), passkey(2), passkey(3, user: [2])])
        )
        func rename() async throws -> Int {
            try await vault.renamePasskeys(
                rpID: "example.com",
                userHandle: UserHandle([1])!,
                userName: "alice@new",
                userDisplayName: "Alice N."
            )
        }
        try await vault.hidePasskey(credentialID: passkey(2).credentialID, rpID: "example.com")
        #expect(try await rename() == 2)
        #expect(try await rename() == 0)
        let item = try await vault.item(id)
        #expect(item.passkeys.map(\.userName) == ["alice@new", "alice@new", "alice"])
        #expect(item.passkeys.map(\.userDisplayName) == ["Alice N.", "Alice N.", "Alice"])
        #expect(item.username == "alice")
        #expect(try await vault.summaries(matching: "alice@new").map(\.id) == [id])
        try await vault.close()
    }

    @Test func `a large blob is kept, replaced and dropped, and never printed`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        try await vault.addPasskey(passkey(1))
        let name = passkey(1).credentialID
        func blob() async throws -> [UInt8]? {
            try await vault.passkey(credentialID: name)?.passkey.largeBlob?.revealed
        }
        let content = SecretBytes([UInt8](repeating: 7, count: 5000))
        try await vault.setLargeBlob(content, credentialID: name)
        #expect(try await blob() == content.revealed)
        let entries = try await vault.status().entries
        try await vault.setLargeBlob(content, credentialID: name)
        #expect(try await vault.status().entries == entries)
        try await vault.setLargeBlob(nil, credentialID: name)
        #expect(try await blob() == nil)
        await #expect(throws: VaultError(.itemMissing, "")) {
            try await vault.setLargeBlob(nil, credentialID: CredentialID([1])!)
        }
        await #expect(throws: VaultError(.itemTooLarge, "")) {
            try await vault.setLargeBlob(
                SecretBytes([UInt8](repeating: 1, count: Item.maximumSize)),
                credentialID: name
            )
        }
        #expect(try await blob() == nil)
        try await vault.close()
    }

    @Test func `a locked vault changes no passkey`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        await vault.lock()
        let locked = VaultError(.locked, "")
        await #expect(throws: locked) { try await vault.addPasskey(passkey(1)) }
        await #expect(throws: locked) { try await vault.removePasskey(credentialID: CredentialID([1])!) }
        await #expect(throws: locked) { try await vault.setLargeBlob(nil, credentialID: CredentialID([1])!) }
        await #expect(throws: locked) {
            try await vault.hidePasskey(credentialID: CredentialID([1])!, rpID: "a.example")
        }
        await #expect(throws: locked) {
            try await vault.hidePasskeys(rpID: "a.example", userHandle: UserHandle([1])!, exceptFor: [])
        }
        await #expect(throws: locked) {
            try await vault.renamePasskeys(
                rpID: "a.example",
                userHandle: UserHandle([1])!,
                userName: "",
                userDisplayName: ""
            )
        }
        try await vault.close()
    }
}
