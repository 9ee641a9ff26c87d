import Testing
import WardCBOR
import WardLog

@testable import WardVault

@Suite struct `The owner key` {
    private let fixture: CircleFixture
    private let owner: OwnerKey
    private let derivation: KeyDerivation

    init() throws {
        fixture = try CircleFixture()
        owner = try OwnerKey(fixture.environment)
        derivation = KeyDerivation(salt: try fixture.environment.random(KeyDerivation.saltLength))
    }

    /// The keys of a passphrase and a Secret Key.
    private func unlock(
        _ words: String = VaultFixture.words,
        _ secretKey: SecretKey? = nil,
        _ vault: VaultID? = nil,
        _ derivation: KeyDerivation? = nil
    ) throws -> VaultHeader.UnlockKeys {
        let derivation = derivation ?? self.derivation
        let stretched = try fixture.environment.stretch(VaultFixture.passphrase(words), derivation)
        return VaultHeader.UnlockKeys(
            stretched,
            secretKey ?? fixture.secrets.secretKey,
            vault ?? fixture.vault,
            derivation
        )
    }

    @Test func `opens with the passphrase and the Secret Key, and with nothing else`() throws {
        let sealed = try owner.sealed(with: unlock(), fixture.environment)
        #expect(sealed.count == 60)
        let opened = try OwnerKey(sealed, publicKey: owner.publicKey, with: unlock())
        #expect(try opened.signer.sign(LogEntry.ownerMessage(hash, vault: fixture.vault)) == signature())
        var dearer = derivation
        dearer.passes += 1
        let otherSecretKey = try SecretKey(effects: fixture.environment.effects)
        for wrong in [
            try unlock("another"), try unlock(VaultFixture.words, otherSecretKey),
            try unlock(VaultFixture.words, nil, VaultID(genesis: [2])),
            try unlock(VaultFixture.words, nil, nil, dearer),
        ] {
            #expect(throws: VaultError(.damaged, "")) {
                try OwnerKey(sealed, publicKey: owner.publicKey, with: wrong)
            }
        }
        let other = try OwnerKey(fixture.environment).publicKey
        #expect(throws: VaultError(.damaged, "")) { try OwnerKey(sealed, publicKey: other, with: unlock()) }
    }

    @Test func `is refused if any byte of its sealed form is changed`() throws {
        let sealed = try owner.sealed(with: unlock(), fixture.environment)
        let keys = try unlock()
        var changed: [[UInt8]] = [[], Array(sealed.prefix(28)), Array(sealed.dropLast()), sealed + [0]]
        for index in sealed.indices { changed.append(sealed.flipped(at: index)) }
        for wrong in changed {
            #expect(throws: VaultError(.damaged, "")) {
                try OwnerKey(wrong, publicKey: owner.publicKey, with: keys)
            }
        }
    }

    @Test func `opens with its recovery key, and with nothing else`() throws {
        let recoveryKey = try RecoveryKey(effects: fixture.environment.effects)
        let sealed = try owner.sealed(to: recoveryKey.recipient(), vault: fixture.vault)
        #expect(sealed.suite == 2 && sealed.encapsulation.count == 1120 && sealed.ciphertext.count == 48)
        let opened = try OwnerKey(sealed, publicKey: owner.publicKey, with: recoveryKey, vault: fixture.vault)
        #expect(try opened.signer.sign(LogEntry.ownerMessage(hash, vault: fixture.vault)) == signature())

        let other = try RecoveryKey(effects: fixture.environment.effects)
        #expect(throws: VaultError(.wrongRecoveryKey, "")) {
            try OwnerKey(sealed, publicKey: owner.publicKey, with: other, vault: fixture.vault)
        }
        var renamed = sealed
        renamed.recipient = try other.recipient().id
        #expect(throws: VaultError(.damaged, "")) {
            try OwnerKey(renamed, publicKey: owner.publicKey, with: other, vault: fixture.vault)
        }
        #expect(throws: VaultError(.damaged, "")) {
            try OwnerKey(sealed, publicKey: owner.publicKey, with: recoveryKey, vault: VaultID(genesis: [2]))
        }
        let otherOwner = try OwnerKey(fixture.environment).publicKey
        #expect(throws: VaultError(.damaged, "")) {
            try OwnerKey(sealed, publicKey: otherOwner, with: recoveryKey, vault: fixture.vault)
        }
    }

    @Test func `is refused if a byte of what is sealed to the recovery key is changed`() throws {
        let recoveryKey = try RecoveryKey(effects: fixture.environment.effects)
        let sealed = try owner.sealed(to: recoveryKey.recipient(), vault: fixture.vault)
        for index in stride(from: 0, to: sealed.encapsulation.count, by: 7) {
            var changed = sealed
            changed.encapsulation = sealed.encapsulation.flipped(at: index)
            #expect(throws: VaultError(.damaged, ""), "byte \(index)") {
                try OwnerKey(changed, publicKey: owner.publicKey, with: recoveryKey, vault: fixture.vault)
            }
        }
        for index in sealed.ciphertext.indices {
            var changed = sealed
            changed.ciphertext = sealed.ciphertext.flipped(at: index)
            #expect(throws: VaultError(.damaged, ""), "byte \(index)") {
                try OwnerKey(changed, publicKey: owner.publicKey, with: recoveryKey, vault: fixture.vault)
            }
        }
    }

    /// A quantum computer of the future would open what is sealed with suite 1 today.
    @Test func `is sealed with X-Wing alone`() throws {
        let recoveryKey = try RecoveryKey(effects: fixture.environment.effects)
        let classical = try fixture.pair(.x25519).recipient(recoveryKey.recipient().id)
        #expect(throws: VaultError(.unknownVersion, "")) { try owner.sealed(to: classical, vault: fixture.vault) }
        var sealed = try owner.sealed(to: recoveryKey.recipient(), vault: fixture.vault)
        for suite: UInt64 in [0, 1, 3, .max] {
            sealed.suite = suite
            #expect(throws: VaultError(.unknownVersion, "")) {
                try OwnerKey(sealed, publicKey: owner.publicKey, with: recoveryKey, vault: fixture.vault)
            }
        }
        var malformed = try recoveryKey.recipient()
        malformed.publicKey.removeLast()
        #expect(throws: VaultError(.damaged, "")) { try owner.sealed(to: malformed, vault: fixture.vault) }
    }

    /// Anybody can seal something to a public key.
    @Test func `is the key that the log names`() throws {
        let recoveryKey = try RecoveryKey(effects: fixture.environment.effects)
        let recipient = try recoveryKey.recipient()
        let info: CBORValue = [
            "ward", 1, "owner-key", .bytes(fixture.vault.bytes), .bytes(owner.publicKey), .bytes(recipient.id),
        ]
        for seed in [[UInt8](repeating: 7, count: 32), [UInt8](repeating: 7, count: 31), []] {
            let forged = try CircleSuite.xWing.seal(seed, to: recipient.publicKey, info: info.encoded())
            let sealed = CircleSealedKey(
                recipient: recipient.id,
                suite: 2,
                encapsulation: forged.encapsulation,
                ciphertext: forged.ciphertext
            )
            #expect(throws: VaultError(.damaged, "")) {
                try OwnerKey(sealed, publicKey: owner.publicKey, with: recoveryKey, vault: fixture.vault)
            }
        }
    }

    private let hash = [UInt8](repeating: 9, count: 32)

    private func signature() throws -> [UInt8] {
        try owner.signer.sign(LogEntry.ownerMessage(hash, vault: fixture.vault))
    }

    @Test func `signs an entry of one vault`() throws {
        let signature = try signature()
        func isValid(_ vault: VaultID, _ hash: [UInt8]) -> Bool {
            let message = LogEntry.ownerMessage(hash, vault: vault)
            return SignatureScheme.ed25519.isValid(signature, message, owner.publicKey)
        }
        #expect(signature.count == 64 && isValid(fixture.vault, hash))
        #expect(!isValid(VaultID(genesis: [2]), hash) && !isValid(fixture.vault, hash.flipped(at: 0)))
    }

    @Test func `is not shown`() { #expect(isHidden(owner, as: "OwnerKey")) }
}
