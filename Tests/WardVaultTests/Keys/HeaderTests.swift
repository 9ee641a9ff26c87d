import Crypto
import Foundation
import Testing
import WardCBOR
import WardLog
import WardTesting
import WardWebAuthn

@testable import WardVault

/// Anybody who can write the file can write its header, with a checksum that fits.
@Suite struct `The header` {
    private let environment: VaultEnvironment
    private let keys: VaultKeys
    private let recoveryKey: RecoveryKey
    private let header: VaultHeader

    init() throws {
        environment = VaultEnvironment(
            effects: TestEffects().effects,
            stretch: { Array(SHA256.hash(data: $0 + $1)) },
            checkpointDelay: nil
        )
        keys = try VaultKeys(randomBytes: environment.effects.randomBytes)
        recoveryKey = try RecoveryKey(effects: environment.effects)
        var header = VaultHeader(vaultID: VaultID(genesis: [1]))
        let secretKey = try SecretKey(effects: environment.effects)
        try header.seal(keys, to: VaultFixture.passphrase(), secretKey, environment)
        try header.seal(keys, to: recoveryKey)
        self.header = header
    }

    private func sealed(_ parts: [CBORValue]) -> [UInt8] {
        let body = CBORValue.array(parts).encoded()
        return body + Array(SHA256.hash(data: body))
    }

    private func parts() throws -> [CBORValue] {
        try #require(try CBORValue.decode(Array(header.encoded(keys).dropLast(32))).arrayValue)
    }

    @Test func `is read in one form only`() throws {
        let parts = try parts()
        #expect(try VaultHeader(encoded: sealed(parts)) == header)
        func replacing(_ index: Int, _ value: CBORValue) -> [CBORValue] {
            var parts = parts
            parts[index] = value
            return parts
        }
        for wrong in [
            [], ["ward"], replacing(0, "other"), replacing(1, "1"), replacing(2, "head"), parts + [0], ["ward", 1],
            Array(parts.dropLast()), replacing(3, .bytes([])), replacing(3, .bytes([0xA0])),
        ] as [[CBORValue]] {
            #expect(throws: VaultError(.damaged, "")) { try VaultHeader(encoded: sealed(wrong)) }
        }
        #expect(throws: VaultError(.unknownVersion, "")) { try VaultHeader(encoded: sealed(replacing(1, 2))) }
        #expect(throws: VaultError(.unknownVersion, "")) { try VaultHeader(encoded: sealed(["ward", 2])) }
    }

    @Test func `has at most 64 KiB`() throws {
        var parts = try parts()
        let payload = try #require(parts[3].bytesValue)
        guard case .map(let pairs) = try CBORValue.decode(payload) else { return #expect(Bool(false)) }
        func encoded(padding count: Int) -> [UInt8] {
            let pair = CBORPair(key: 99, value: .bytes([UInt8](repeating: 0, count: count)))
            parts[3] = .bytes(CBORValue.map(pairs + [pair]).encoded())
            return sealed(parts)
        }
        let rest = encoded(padding: 60_000).count - 60_000
        let longest = VaultHeader.maximumLength - rest
        #expect(encoded(padding: longest).count == VaultHeader.maximumLength)
        #expect(try VaultHeader(encoded: encoded(padding: longest)).vaultID == header.vaultID)
        #expect(throws: VaultError(.damaged, "")) { try VaultHeader(encoded: encoded(padding: longest + 1)) }
    }

    @Test func `is believed only with the authentication code of the vault's keys`() throws {
        let encoded = try header.encoded(keys)
        try header.check(keys, encoded: encoded)
        var changed = header
        changed.generation += 1
        var parts = try parts()
        parts[3] = try #require(try CBORValue.decode(Array(changed.encoded(keys).dropLast(32))).arrayValue?[3])
        let forged = sealed(parts)
        #expect(try VaultHeader(encoded: forged) == changed)
        #expect(throws: VaultError(.damaged, "")) { try changed.check(keys, encoded: forged) }
        // Another vault's keys must not fit, even if a code was found that fits both.
        changed.keyCommitment = [UInt8](repeating: 0, count: changed.keyCommitment.count)
        let other = try changed.encoded(keys)
        #expect(throws: VaultError(.damaged, "")) { try changed.check(keys, encoded: other) }
    }

    @Test func `opens with the recovery key only if the proof is from that key`() throws {
        #expect(try header.open(recoveryKey).commitment(header.vaultID) == header.keyCommitment)
        var forged = header
        forged.recoveryProof = header.recoveryProof?.map { $0 ^ 1 }
        #expect(throws: VaultError(.forgedVault, "")) { try forged.open(recoveryKey) }
        let other = try RecoveryKey(effects: environment.effects)
        #expect(throws: VaultError(.wrongRecoveryKey, "")) { try header.open(other) }
    }
}
