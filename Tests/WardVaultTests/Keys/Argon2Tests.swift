import CSodium
import Foundation
import Testing
import WardTesting
import WardVault
import WardWebAuthn

/// A published case.
private struct ArgonVectors: Decodable {
    struct Case: Decodable {
        let type: String
        let version: Int
        let p: Int
        let mLog2KiB: Int?
        let password: String
        let encoded: String
    }
    let vectors: [Case]
}

@Suite struct `Argon2id` {
    /// libsodium knows one lane, and takes salts of other lengths only when it checks a written-out hash.
    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `libsodium agrees with the published cases it can run`() throws {
        let url = try #require(TestVectors.url("argon2/argon2.json"))
        let vectors = try JSONDecoder().decode(ArgonVectors.self, from: Data(contentsOf: url)).vectors
        var count = 0
        for vector in vectors where vector.type == "argon2id" && vector.version == 19 && vector.p == 1 {
            guard vector.mLog2KiB ?? 0 <= 18 else { continue }
            #expect(sodium_init() >= 0)
            let result = unsafe crypto_pwhash_argon2id_str_verify(
                vector.encoded,
                vector.password,
                UInt64(vector.password.utf8.count)
            )
            #expect(result == 0, "\(vector.encoded)")
            count += 1
        }
        #expect(count >= 4)
    }

    /// Computed with the reference implementation (Debian's `argon2` command, 20190702).
    @Test(arguments: [
        (3, 65_536, "password", "9c7ebe79ac17bab63d6686c289d6630f43d76bf61cf9ed9df0fb95b00d581578"),
        (4, 65_536, "correct horse battery staple", "ace6792ad122b7c7eb22964bbbb79936132b403846a56adb74a4ec196d426bfe"),
        (3, 131_072, "Grüße", "10fc10bc1bf26672b656ee68a5051064bf297f96ef4b2db2ae938d4f8b27e58e"),
    ])
    func `the vault's stretching is that of the reference implementation`(
        passes: Int,
        memory: Int,
        passphrase: String,
        expected: String
    ) throws {
        let derived = try Passphrase.stretch(
            Array(passphrase.utf8),
            salt: Array("sixteen bytes!!!".utf8),
            passes: passes,
            memory: memory
        )
        #expect(hex(derived) == expected)
    }

    @Test(arguments: [(2, 65_536), (3, 65_535), (3, 1_048_577), (0, 0), (.max, .max), (-1, -1)])
    func `weaker or dearer parameters are refused before anything runs`(passes: Int, memory: Int) {
        #expect(throws: VaultError(.weakKeyDerivation, "")) {
            try Passphrase.stretch([1], salt: [UInt8](repeating: 0, count: 16), passes: passes, memory: memory)
        }
    }

    @Test func `a vault with the real stretching opens`() async throws {
        let fixture = try VaultFixture()
        let environment = VaultEnvironment(effects: .live)
        let (vault, key) = try await Vault.create(
            at: fixture.location,
            passphrase: VaultFixture.passphrase(),
            environment: environment
        )
        await vault.lock()
        await #expect(throws: VaultError(.wrongPassphrase, "")) {
            try await vault.unlock(with: VaultFixture.passphrase("no"))
        }
        try await vault.unlock(with: VaultFixture.passphrase())
        await vault.lock()
        try await vault.recover(with: key, newPassphrase: VaultFixture.passphrase("x"))
        try await vault.close()
    }
}
