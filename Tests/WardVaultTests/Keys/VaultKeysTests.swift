import Crypto
import Foundation
import Testing
import WardCBOR

@testable import WardVault

@Suite struct `Vault keys by name` {
    private typealias Name = VaultKeys.Name

    private let first = Name.first
    private let one = Name(epoch: 1, owner: [UInt8](repeating: 1, count: 32))
    private let beside = Name(epoch: 1, owner: [UInt8](repeating: 2, count: 32))
    private let two = Name(epoch: 2, owner: [UInt8](repeating: 0, count: 32))

    private func key(_ value: UInt8) throws -> LockedBytes { try LockedBytes([UInt8](repeating: value, count: 32)) }

    private func symmetric(_ value: UInt8) -> SymmetricKey { SymmetricKey(data: [UInt8](repeating: value, count: 32)) }

    /// The keys of a new vault.
    private func simple() throws -> VaultKeys { try VaultKeys([.first: key(10)], current: .first) }

    /// One key of epoch 0, two of epoch 1, and one of epoch 2.
    private func whole() throws -> VaultKeys {
        try simple()
            .adding(key(13), named: two)
            .adding(key(12), named: beside)
            .adding(key(11), named: one)
            .choosing(beside)
    }

    @Test func `are found by epoch and owner key`() throws {
        let set = try whole()
        #expect(set.names == [first, one, beside, two])
        #expect(set.current == beside)
        #expect(try set.key(first) == symmetric(10))
        #expect(try set.key(one) == symmetric(11))
        #expect(try set.key(beside) == symmetric(12))
        #expect(try set.key(two) == symmetric(13))
        for missing in [
            Name(epoch: 1), Name(epoch: 3), Name(epoch: 2, owner: one.owner), Name(epoch: 0, owner: one.owner),
        ] {
            #expect(throws: VaultError(.unknownVersion, "")) { try set.key(missing) }
            #expect(throws: VaultError(.damaged, "")) { try set.choosing(missing) }
        }
    }

    @Test func `are added once`() throws {
        let set = try whole()
        #expect(try set.adding(key(11), named: one).names == set.names)
        #expect(throws: VaultError(.damaged, "")) { try set.adding(key(12), named: one) }
        #expect(throws: VaultError(.damaged, "")) { try set.adding(key(11), named: first) }
        let short = try LockedBytes([UInt8](repeating: 7, count: 31))
        let owner = [UInt8](repeating: 5, count: 32)
        #expect(throws: VaultError(.damaged, "")) { try set.adding(short, named: Name(epoch: 3, owner: owner)) }
        let names = [
            Name(epoch: 0, owner: owner), Name(epoch: 1), Name(epoch: 3, owner: []),
            Name(epoch: 3, owner: Array(owner.dropLast())), Name(epoch: 3, owner: owner + [0]),
        ]
        for wrong in names {
            #expect(throws: VaultError(.damaged, "")) { try set.adding(key(14), named: wrong) }
        }
    }

    @Test func `have plain keys in the bundle while no operation made one`() throws {
        let more = try VaultKeys(
            [.first: key(10), Name(epoch: 1): key(11), Name(epoch: 300): key(12)],
            current: Name(epoch: 1)
        )
        let pairs: CBORValue = [
            0: .bytes([UInt8](repeating: 10, count: 32)), 1: .bytes([UInt8](repeating: 11, count: 32)),
            300: .bytes([UInt8](repeating: 12, count: 32)),
        ]
        #expect(more.bundle() == pairs.encoded())
        let read = try VaultKeys(bundle: more.bundle(), current: Name(epoch: 1))
        #expect(read.names == more.names && read.epoch == 1)
    }

    @Test func `of an epoch are found together`() throws {
        let set = try whole()
        #expect(try set.keys(ofEpoch: 1) == [symmetric(11), symmetric(12)])
        #expect(try set.keys(ofEpoch: 0) == [symmetric(10)])
        #expect(throws: VaultError(.unknownVersion, "")) { try set.keys(ofEpoch: 3) }
    }

    @Test func `go through a bundle`() throws {
        let set = try whole()
        let bundle = set.bundle()
        let read = try VaultKeys(bundle: bundle, current: beside)
        #expect(read.names == set.names && read.current == beside)
        for name in set.names { #expect(try read.key(name) == set.key(name)) }
        #expect(read.bundle() == bundle)
        #expect(try CBORValue.decode(bundle).encoded() == bundle)
    }

    @Test func `are refused in another form`() throws {
        let (low, high) = (CBORValue.bytes(one.owner ?? []), CBORValue.bytes(beside.owner ?? []))
        let key = CBORValue.bytes([UInt8](repeating: 10, count: 32))
        let short = CBORValue.bytes([UInt8](repeating: 10, count: 31))
        func read(_ value: CBORValue, _ current: Name) throws -> VaultKeys {
            try VaultKeys(bundle: value.encoded(), current: current)
        }
        #expect(try read([0: key, 1: [[low, key], [high, key]]], beside).names == [first, one, beside])
        let wrong: [CBORValue] = [
            [], [:], [0: short], [0: "text"], [0: key, 1: []], [0: key, 1: [[low, short]]], [0: key, 1: [[low]]],
            [0: key, 1: [[low, key, key]]], [0: key, 1: [low, key]], [0: key, 1: [[short, key]]],
            [0: key, 1: [[high, key], [low, key]]], [0: key, 1: [[low, key], [low, key]]], [0: [[low, key]]],
            [1: key], [0: key, -1: key], [0: key, "1": key], [0: key, 1: [["text", key]]], [0: key, 1: [[low, 1]]],
        ]
        for value in wrong {
            #expect(throws: VaultError(.damaged, ""), "\(value)") { try read(value, first) }
        }
        #expect(throws: VaultError(.damaged, "")) { try read([0: key], one) }
        let bundle = try whole().bundle()
        #expect(throws: VaultError(.damaged, "")) { try VaultKeys(bundle: bundle + [0], current: beside) }
        for count in 0..<bundle.count {
            let cut = Array(bundle.prefix(count))
            #expect(throws: VaultError(.damaged, "")) { try VaultKeys(bundle: cut, current: beside) }
        }
    }

    @Test func `do not show their bytes`() throws {
        let set = try whole()
        var text = "\(set)"
        dump(set, to: &text)
        for value in 10...13 { #expect(!text.contains("\(value), \(value)")) }
    }

    @Test func `in locked memory are freed once if they cannot be written`() {
        #expect(throws: VaultError(.unavailable, "no bytes")) {
            _ = try unsafe LockedBytes(count: 32) { (_) throws(VaultError) in throw VaultError(.unavailable, "no bytes")
            }
        }
    }
}
