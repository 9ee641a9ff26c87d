import Testing
import WardCBOR
import WardLog

@testable import WardVault

@Suite struct `Sealed vault keys` {
    private let fixture: CircleFixture

    init() throws { fixture = try CircleFixture() }

    @Test(arguments: CircleSuite.allCases)
    func `open for their recipient`(suite: CircleSuite) throws {
        let pair = try fixture.pair(suite)
        let sealed = try fixture.sealed(to: pair)
        #expect(sealed.recipient == fixture.device.bytes)
        #expect(sealed.suite == suite.rawValue)
        #expect(pair.publicKey.count == suite.publicKeyLength)
        #expect(sealed.encapsulation.count == suite.encapsulationLength)
        #expect(sealed.ciphertext.count == 54 + CircleSuite.overhead)
        #expect(try fixture.opened([sealed], with: pair)?.isSame(as: fixture.secrets) == true)
        #expect(try fixture.sealed(to: pair) != sealed)
    }

    @Test(arguments: CircleSuite.allCases)
    func `do not open for another vault, epoch, recipient or key`(suite: CircleSuite) throws {
        let pair = try fixture.pair(suite)
        let sealed = try fixture.sealed(to: pair)
        let device = fixture.device.bytes
        let other = DeviceID(publicKey: [2]).bytes
        for (vault, epoch, recipient) in [
            (VaultID(genesis: [2]), fixture.epoch, device), (fixture.vault, fixture.epoch + 1, device),
            (fixture.vault, fixture.epoch - 1, device), (fixture.vault, fixture.epoch, other),
        ] {
            var renamed = sealed
            renamed.recipient = recipient
            #expect(throws: VaultError(.damaged, "")) {
                try CircleSecrets.open([renamed], for: recipient, with: pair, vault: vault, epoch: epoch)
            }
        }
        let another = try fixture.pair(suite)
        #expect(throws: VaultError(.damaged, "")) { try fixture.opened([sealed], with: another) }
    }

    @Test(arguments: CircleSuite.allCases)
    func `are refused if any byte is changed`(suite: CircleSuite) throws {
        let pair = try fixture.pair(suite)
        let sealed = try fixture.sealed(to: pair)
        for index in sealed.encapsulation.indices {
            var changed = sealed
            changed.encapsulation = sealed.encapsulation.flipped(at: index)
            #expect(throws: VaultError(.damaged, ""), "byte \(index)") { try fixture.opened([changed], with: pair) }
        }
        for index in sealed.ciphertext.indices {
            var changed = sealed
            changed.ciphertext = sealed.ciphertext.flipped(at: index)
            #expect(throws: VaultError(.damaged, ""), "byte \(index)") { try fixture.opened([changed], with: pair) }
        }
    }

    @Test(arguments: CircleSuite.allCases)
    func `are refused with another length`(suite: CircleSuite) throws {
        let pair = try fixture.pair(suite)
        let sealed = try fixture.sealed(to: pair)
        let encapsulations: [[UInt8]] = [[], Array(sealed.encapsulation.dropLast()), sealed.encapsulation + [0]]
        for encapsulation in encapsulations {
            var changed = sealed
            changed.encapsulation = encapsulation
            #expect(throws: VaultError(.damaged, "")) { try fixture.opened([changed], with: pair) }
        }
        let ciphertexts: [[UInt8]] = [
            [], Array(sealed.ciphertext.prefix(15)), Array(sealed.ciphertext.prefix(16)),
            Array(sealed.ciphertext.dropLast()), sealed.ciphertext + [0],
        ]
        for ciphertext in ciphertexts {
            var changed = sealed
            changed.ciphertext = ciphertext
            #expect(throws: VaultError(.damaged, "")) { try fixture.opened([changed], with: pair) }
        }
    }

    @Test func `of an unknown suite are an error only for their recipient`() throws {
        let pair = try fixture.pair(.standard)
        let own = try fixture.sealed(to: pair)
        var other = own
        other.recipient = DeviceID(publicKey: [2]).bytes
        for suite: UInt64 in [0, 3, .max] {
            other.suite = suite
            #expect(try fixture.opened([other, own], with: pair)?.isSame(as: fixture.secrets) == true)
            var changed = own
            changed.suite = suite
            #expect(throws: VaultError(.unknownVersion, "")) { try fixture.opened([other, changed], with: pair) }
        }
        // A known suite that is not that of the key.
        var changed = own
        changed.suite = CircleSuite.x25519.rawValue
        #expect(throws: VaultError(.damaged, "")) { try fixture.opened([changed], with: pair) }
    }

    @Test func `are there once for each recipient, or not at all`() throws {
        let pair = try fixture.pair(.standard)
        let own = try fixture.sealed(to: pair)
        var other = own
        other.recipient = DeviceID(publicKey: [2]).bytes
        #expect(try fixture.opened([], with: pair) == nil)
        #expect(try fixture.opened([other], with: pair) == nil)
        #expect(throws: VaultError(.damaged, "")) { try fixture.opened([own, other, own], with: pair) }
    }

    /// Public keys come from other devices.
    @Test(arguments: CircleSuite.allCases)
    func `are not made for a malformed public key`(suite: CircleSuite) throws {
        let publicKey = try fixture.pair(suite).publicKey
        let lowOrder = Array(publicKey.dropLast(32)) + [UInt8](repeating: 0, count: 32)
        var malformed: [[UInt8]] = [[], Array(publicKey.dropLast()), publicKey + [0], lowOrder]
        // Numbers beyond the modulus of ML-KEM.
        if suite == .xWing { malformed.append([UInt8](repeating: 0xff, count: publicKey.count)) }
        for key in malformed {
            let recipient = CircleRecipient(id: fixture.device.bytes, suite: suite.rawValue, publicKey: key)
            #expect(throws: VaultError(.damaged, ""), "\(key.count) bytes") {
                try fixture.secrets.sealed(to: recipient, vault: fixture.vault, epoch: fixture.epoch)
            }
        }
        let unknown = CircleRecipient(id: fixture.device.bytes, suite: 3, publicKey: publicKey)
        #expect(throws: VaultError(.unknownVersion, "")) {
            try fixture.secrets.sealed(to: unknown, vault: fixture.vault, epoch: fixture.epoch)
        }
    }

    @Test func `are made for all others if one recipient cannot get one`() throws {
        let (first, second) = (try fixture.pair(.x25519), try fixture.pair(.xWing))
        let known = [first.recipient([1]), second.recipient(fixture.device.bytes)]
        var unknown = second.recipient([3])
        unknown.suite = 3
        var malformed = second.recipient([4])
        malformed.publicKey.removeLast()
        let sealed = try fixture.secrets.sealed(
            toEachOf: [unknown, known[0], malformed, known[1]],
            vault: fixture.vault,
            epoch: fixture.epoch
        )
        #expect(sealed.keys.map(\.recipient) == known.map(\.id))
        #expect(sealed.skipped == [unknown, malformed])
        #expect(try fixture.opened(sealed.keys, with: second)?.isSame(as: fixture.secrets) == true)
    }

    @Test func `have both keys with their lengths, and unknown fields are for later versions`() throws {
        let pair = try fixture.pair(.standard)
        let (vaultKey, secretKey) = (fixture.secrets.vaultKey.copy, fixture.secrets.secretKey.bytes.copy)
        func opened(_ plaintext: [UInt8]) throws -> CircleSecrets? {
            let info: CBORValue = [
                "ward", 1, "circle-key", .bytes(fixture.vault.bytes), .unsigned(fixture.epoch),
                .bytes(fixture.device.bytes),
            ]
            let sealed = try CircleSuite.standard.seal(plaintext, to: pair.publicKey, info: info.encoded())
            let key = CircleSealedKey(
                recipient: fixture.device.bytes,
                suite: CircleSuite.standard.rawValue,
                encapsulation: sealed.encapsulation,
                ciphertext: sealed.ciphertext
            )
            return try fixture.opened([key], with: pair)
        }
        let whole: CBORValue = [1: .bytes(vaultKey), 2: .bytes(secretKey), 3: "later", "text": [0]]
        #expect(try opened(whole.encoded())?.isSame(as: fixture.secrets) == true)
        let plaintexts: [CBORValue] = [
            [:], [], [1: .bytes(vaultKey)], [2: .bytes(secretKey)], [1: .bytes(vaultKey), 2: "text"],
            [1: .bytes(vaultKey + [0]), 2: .bytes(secretKey)], [1: .bytes([]), 2: .bytes(secretKey)],
            [1: .bytes(vaultKey), 2: .bytes(Array(secretKey.dropLast()))],
            [1: .bytes(vaultKey), 2: .bytes(secretKey + [0])],
        ]
        for wrong in plaintexts {
            #expect(throws: VaultError(.damaged, "")) { try opened(wrong.encoded()) }
        }
        #expect(throws: VaultError(.damaged, "")) { try opened([]) }
        #expect(throws: VaultError(.damaged, "")) { try opened(whole.encoded() + [0]) }
    }

    @Test func `fit the header that their entry names`() throws {
        let key = fixture.secrets.vaultKey.symmetricKey
        let commitment = key.derive("ward/v1/commitment", salt: fixture.vault.bytes, context: []).published
        try fixture.secrets.check(commitment: commitment, of: fixture.vault)
        #expect(throws: VaultError(.damaged, "")) {
            try fixture.secrets.check(commitment: commitment, of: VaultID(genesis: [2]))
        }
        for wrong: [UInt8] in [[], commitment.flipped(at: 0), Array(commitment.dropLast())] {
            #expect(throws: VaultError(.damaged, "")) {
                try fixture.secrets.check(commitment: wrong, of: fixture.vault)
            }
        }
    }

    @Test func `are made of whole keys, and do not show them`() throws {
        for count in [0, 31, 33] {
            let key = try LockedBytes([UInt8](repeating: 7, count: count))
            #expect(throws: VaultError(.damaged, "")) {
                try CircleSecrets(vaultKey: key, secretKey: fixture.secrets.secretKey)
            }
            for suite in CircleSuite.allCases {
                var seed = [UInt8](repeating: 7, count: count)
                #expect(throws: VaultError(.damaged, "")) { try HPKEKeyPair(suite, wiping: &seed) }
                #expect(seed.isEmpty)
            }
        }
        for count in [0, 15, 17] { #expect(try SecretKey(LockedBytes([UInt8](repeating: 7, count: count))) == nil) }
        #expect(isHidden(fixture.secrets, as: "CircleSecrets"))
        #expect(isHidden(try fixture.pair(.standard), as: "HPKEKeyPair"))
    }
}
