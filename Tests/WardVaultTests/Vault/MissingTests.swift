import Testing
import WardVault
import WardWebAuthn

@Suite struct `What is not in the vault` {
    @Test func `passkeys`() async throws {
        let vault = try await VaultFixture().create()
        try await vault.add(Item(title: "Example", passkeys: [Sample.passkey(number: 1)]))
        let missing = CredentialID([9])!
        await #expect(throws: VaultError(.itemMissing, "")) { try await vault.removePasskey(credentialID: missing) }
        await #expect(throws: VaultError(.itemMissing, "")) {
            try await vault.setLargeBlob(nil, credentialID: missing)
        }
        #expect(try await vault.passkey(credentialID: missing) == nil)
        try await vault.close()
    }

    @Test func `a login for an account without a name, or in an item of another kind`() async throws {
        let vault = try await VaultFixture().create()
        let sites = [Site("https://example.com")]
        try await vault.add(Item(.login, title: "no name", sites: sites))
        try await vault.add(Item(.card, title: "card", sites: sites, username: "ada"))
        #expect(try await vault.home(forPasskeyOf: "example.com", userName: "") == nil)
        #expect(try await vault.home(forPasskeyOf: "example.com", userName: "ada") == nil)
        let login = try await vault.add(Item(.login, title: "login", sites: sites, username: "Ada"))
        #expect(try await vault.home(forPasskeyOf: "example.com", userName: "ada") == login)
        try await vault.close()
    }

    @Test func `an item that was removed for good, also where the index on the disk has it`() async throws {
        let fixture = try VaultFixture()
        let vault = try await fixture.create()
        let id = try await vault.add(Item(title: "gone"))
        await vault.saveIndexNow()
        try await vault.close()
        let again = try await fixture.unlocked()
        try await again.write { try $0.purge(id) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await again.item(id) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await again.summary(id) }
        await #expect(throws: VaultError(.itemMissing, "")) { try await again.edit(id) { $0.title = "back" } }
        try await again.close()
    }

    @Test func `an older state of an item that would be written over a newer one`() async throws {
        let vault = try await VaultFixture().create()
        let id = try await vault.add(Item(title: "one"))
        let old = try await vault.item(id)
        try await vault.edit(id) { $0.title = "two" }
        await #expect(throws: VaultError(.conflict, "")) { try await vault.write { _ = try $0.replace(old) } }
        #expect(try await vault.item(id).title == "two")
        try await vault.close()
    }
}
