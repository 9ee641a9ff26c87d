import Crypto
import Foundation
import Testing
import WardLog

@testable import WardVault

@Suite struct `Keys of a circle that another program made` {
    private let vectors: CircleVectors
    private let vault: VaultID
    private let recoveryKey: RecoveryKey

    init() throws {
        let vectors = try CircleVectors.load()
        self.vectors = vectors
        vault = VaultID(genesis: vectors.genesis.value)
        let drawing = CircleFixture.environment(drawing: vectors.recovery.key.value)
        recoveryKey = try RecoveryKey(effects: drawing.effects)
    }

    /// The first test vector of draft-connolly-cfrg-xwing-kem.
    @Test func `the published seed of X-Wing has the published public key`() throws {
        let seed = bytes(hex: "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26")
        let publicKey = try CircleSuite.xWing.publicKey(of: seed)
        #expect(
            hex(SHA256.hash(data: publicKey)) == "2e816deebcd76c5c80d0cd2d174478871658e8e2ff42bc9d4a6e486372e856bb"
        )
    }

    /// Another ciphertext of the same length gives another secret, and no error.
    @Test func `the published ciphertext of X-Wing has the published shared secret`() throws {
        struct Published: Decodable {
            let seed: CircleVectors.Hexadecimal
            let ciphertext: CircleVectors.Hexadecimal
            let sharedSecret: CircleVectors.Hexadecimal
        }
        let published = try CircleVectors.load(Published.self, "xwing.json")
        let key = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: published.seed.value, publicKey: nil)
        func secret(_ ciphertext: [UInt8]) throws -> [UInt8] {
            try unsafe key.decapsulate(Data(ciphertext)).withUnsafeBytes { unsafe [UInt8]($0) }
        }
        #expect(try secret(published.ciphertext.value) == published.sharedSecret.value)
        #expect(try secret(published.ciphertext.value.flipped(at: 0)) != published.sharedSecret.value)
    }

    @Test func `sealed vault keys open`() throws {
        #expect(vault.bytes == vectors.vault.value)
        let circle = vectors.circleKeys
        #expect(circle.sealed.map(\.suite) == CircleSuite.allCases.map(\.rawValue))
        for sealed in circle.sealed {
            let suite = try #require(CircleSuite(rawValue: sealed.suite))
            var seed = try #require(sealed.seed).value
            let pair = try HPKEKeyPair(suite, wiping: &seed)
            #expect(pair.publicKey == sealed.publicKey?.value)
            let opened = try CircleSecrets.open(
                circle.sealed.map(\.key),
                for: sealed.recipient.value,
                with: pair,
                vault: vault,
                epoch: circle.epoch
            )
            let secrets = try #require(opened)
            #expect(secrets.vaultKey.copy == circle.vaultKey.value)
            #expect(secrets.secretKey.bytes.copy == circle.secretKey.value)
            try secrets.check(commitment: circle.commitment.value, of: vault)
        }
    }

    /// Everybody knows its secret, so everybody could have sealed it.
    @Test func `an encapsulation of low order is refused`() throws {
        let sealed = vectors.circleKeys.lowOrder
        var seed = try #require(sealed.seed).value
        let pair = try HPKEKeyPair(.x25519, wiping: &seed)
        #expect(throws: VaultError(.damaged, "")) {
            try CircleSecrets.open(
                [sealed.key],
                for: sealed.recipient.value,
                with: pair,
                vault: vault,
                epoch: vectors.circleKeys.epoch
            )
        }
    }

    @Test func `a recovery key has the same halves, signature and proof`() throws {
        let expected = vectors.recovery
        let recipient = try recoveryKey.recipient()
        #expect(recipient.id == expected.publicKey.value)
        #expect(recipient.publicKey == expected.circleKey.value)
        #expect(recipient.suite == 2)
        #expect(recoveryKey.circleProof(vault: vault, circle: expected.circle.value) == expected.circleProof.value)
        let message = LogEntry.recoveryMessage(expected.content.value, vault: vault)
        #expect(SignatureScheme.ed25519.isValid(expected.signature.value, message, recipient.id))
    }

    @Test func `an owner key is sealed alike, opens in both ways, and signs the same message`() throws {
        let expected = vectors.owner
        let owner = try OwnerKey(CircleFixture.environment(drawing: expected.seed.value))
        #expect(owner.publicKey == expected.publicKey.value)
        let secretKey = try #require(try SecretKey(LockedBytes(expected.secretKey.value)))
        let unlock = VaultHeader.UnlockKeys(
            try LockedBytes(expected.stretched.value),
            secretKey,
            vault,
            KeyDerivation(salt: expected.salt.value)
        )
        let sealed = try owner.sealed(with: unlock, CircleFixture.environment(drawing: expected.nonce.value))
        #expect(sealed == expected.sealed.value)
        let message = LogEntry.ownerMessage(expected.content.value, vault: vault)
        #expect(SignatureScheme.ed25519.isValid(expected.signature.value, message, owner.publicKey))
        let opened = [
            try OwnerKey(expected.sealed.value, publicKey: owner.publicKey, with: unlock),
            try OwnerKey(
                expected.toRecoveryKey.key,
                publicKey: owner.publicKey,
                with: recoveryKey,
                vault: vault
            ),
        ]
        for found in opened {
            let signature = try found.signer.sign(LogEntry.ownerMessage(expected.content.value, vault: vault))
            #expect(SignatureScheme.ed25519.isValid(signature, message, expected.publicKey.value))
        }
    }

    @Test func `a device's file is the same byte for byte in both versions`() throws {
        let expected = vectors.device
        let fixture = try VaultFixture()
        let path = fixture.folder.path + "/device"
        let keys = try VaultKeys(
            [
                .first: LockedBytes(expected.keys[0].value),
                VaultKeys.Name(epoch: 1): LockedBytes(expected.keys[1].value),
            ],
            current: VaultKeys.Name(epoch: 1)
        )
        var file = try DeviceFile(CircleFixture.environment(drawing: expected.seed.value))
        for (index, version) in expected.versions.enumerated() {
            if index == 1 {
                var seed = expected.circleSeed.value
                file.circleKeys = try DeviceKeys(wiping: &seed)
                #expect(file.circleKeys?.publicKey == expected.circleKey.value)
            }
            try file.write(path, vault, keys, CircleFixture.environment(drawing: expected.nonce.value))
            #expect(try fixture.read(path) == version.value)
            try fixture.write(version.value, to: path)
            let found = try #require(try DeviceFile(path, vault, keys))
            #expect(found.device == file.device && found.key.bytes == expected.seed.value)
            #expect(found.circleKeys?.pair.bytes == file.circleKeys?.pair.bytes)
        }
    }

    @Test func `bundles are the same byte for byte`() throws {
        let expected = vectors.bundle
        let owners = expected.owners.map(\.value)
        let keys = try expected.keys.map { try LockedBytes($0.value) }
        var set = try VaultKeys([.first: keys[0]], current: .first)
        #expect(set.bundle() == expected.before.value)
        set = try set.adding(keys[1], named: VaultKeys.Name(epoch: 1, owner: owners[0]))
        set = try set.adding(keys[2], named: VaultKeys.Name(epoch: 1, owner: owners[1]))
        set = try set.adding(keys[3], named: VaultKeys.Name(epoch: 2, owner: owners[2]))
        #expect(set.bundle() == expected.bundle.value)
        #expect(try VaultKeys(bundle: expected.bundle.value, current: set.current).names == set.names)
    }
}
