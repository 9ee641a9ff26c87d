import Foundation
import Testing
import WardCBOR
import WardWebAuthn

@testable import WardVault

@Suite struct `Keys that are not whole` {
    private static let short = Effects(now: { 0 }, randomBytes: { [UInt8](repeating: 7, count: max(0, $0 - 1)) })
    private let salt = [UInt8](repeating: 7, count: 16)

    @Test func `nothing is made of too few random bytes`() throws {
        #expect(throws: VaultError(.unavailable, "")) { try VaultEnvironment(effects: Self.short).random(4) }
        #expect(throws: VaultError(.unavailable, "")) { try VaultKeys(randomBytes: Self.short.randomBytes) }
        let text = KeyText(context: "test", length: 16, characters: 30, group: 5)
        #expect(throws: VaultError(.unavailable, "")) { try text.drawn(Self.short) }
    }

    @Test func `an envelope has whole keys, of the first epoch and of the current one`() throws {
        func read(_ pairs: [(UInt64, Int)], current: UInt64) throws -> VaultKeys {
            let value = CBORValue.map(
                pairs.map {
                    CBORPair(key: .unsigned($0.0), value: .bytes([UInt8](repeating: 7, count: $0.1)))
                }
            )
            return try VaultKeys(bundle: value.encoded(), current: VaultKeys.Name(epoch: current))
        }
        #expect(try read([(0, 32), (1, 32)], current: 1).epoch == 1)
        for (pairs, current) in [
            ([(0, 31)], 0), ([(0, 33)], 0), ([(1, 32)], 1), ([(0, 32)], 1), ([], 0),
        ] as [([(UInt64, Int)], UInt64)] {
            #expect(throws: VaultError(.damaged, "")) { _ = try read(pairs, current: current) }
        }
    }

    @Test func `the derivation of a key has five values that are known`() throws {
        func read(_ value: CBORValue) throws -> KeyDerivation { try KeyDerivation(value) }
        #expect(try read([1, 3, 65_536, 1, .bytes(salt)]) == KeyDerivation(salt: salt))
        for value: CBORValue in [
            [], [1, 3, 65_536, 1], [2, 3, 65_536, 1, .bytes(salt)], [1, 3, 65_536, 2, .bytes(salt)],
            [1, 3, 65_536, 1, .bytes(salt), 0],
        ] {
            #expect(throws: VaultError(.damaged, "")) { _ = try read(value) }
        }
    }

    @Test(arguments: [0, 15, 17]) func `a salt of another length is refused`(count: Int) {
        #expect(throws: VaultError(.weakKeyDerivation, "")) {
            try KeyDerivation(salt: [UInt8](repeating: 7, count: count)).check()
        }
    }

    @Test func `bytes are equal only if they are as many`() throws {
        let (one, longer) = (try LockedBytes([1, 2]), try LockedBytes([1, 2, 3]))
        let (same, other) = (try LockedBytes([1, 2]), try LockedBytes([1, 3]))
        #expect(one.isEqual(to: same) && !one.isEqual(to: other))
        #expect(!one.isEqual(to: longer) && !longer.isEqual(to: one))
    }

    @Test func `a passphrase has a length`() throws {
        _ = try Passphrase(String(repeating: "x", count: 4096))
        #expect(throws: VaultError(.unavailable, "")) { try Passphrase(String(repeating: "x", count: 4097)) }
        #expect(throws: VaultError(.emptyPassphrase, "")) { try Passphrase("") }
        #expect(throws: VaultError(.emptyPassphrase, "")) { try Passphrase(utf8: []) }
    }

    @Test func `padding is what this program writes, and nothing else`() {
        for count in [0, 1, 251, 252, 253, 4092, 5000] {
            let content = [UInt8](repeating: 7, count: count)
            let padded = Padding.pad(content)
            #expect(Padding.unpad(padded) == content)
            #expect(Padding.unpad(Array(padded.dropLast())) == nil)
            #expect(Padding.unpad(padded + [UInt8](repeating: 0, count: 256)) == nil)
            if padded.last == 0, padded.count > 4 + count {
                #expect(Padding.unpad(Array(padded.dropLast()) + [1]) == nil)
            }
        }
        for bytes: [UInt8] in [[], [0], [0, 0, 0], [0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff]] {
            #expect(Padding.unpad(bytes) == nil)
        }
        #expect(Padding.unpad([0xff, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 252)) == nil)
    }

    @Test(arguments: [
        "", "-a", "_a", "a b", "a/b", "..", "a.b", "ä", String(repeating: "a", count: 33),
    ])
    func `a vault's name is a part of a path`(text: String) {
        #expect(VaultName(text) == nil)
    }

    @Test(arguments: ["a", "9", "work-2_x", String(repeating: "a", count: 32)])
    func `a vault's name has letters and digits`(text: String) {
        #expect(VaultName(text)?.description == text)
    }
}
