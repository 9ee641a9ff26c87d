import Testing
import WardCBOR
import WardLog

@testable import WardVault

@Suite struct `The reply to a new device` {
    private let fixture: PairingFixture

    init() throws { fixture = try PairingFixture() }

    private func code(_ bytes: [UInt8], _ pending: PendingDevice? = nil) -> VaultError.Code? {
        do {
            _ = try PairingReply(bytes, for: pending ?? fixture.pending)
            return nil
        } catch {
            return error.code
        }
    }

    private func code(_ change: (inout [CBORValue: CBORValue]) -> Void) throws -> VaultError.Code? {
        code(try fixture.forged(fixture.plaintext(change)))
    }

    @Test func `says what the member said, and proves the passphrase`() throws {
        let sealed = try fixture.sealed()
        #expect(sealed.count <= PairingReply.maximumLength)
        let (sent, opened) = (fixture.reply(), try PairingReply(sealed, for: fixture.pending))
        #expect(opened.vault == sent.vault && opened.root == sent.root && opened.headerHash == sent.headerHash)
        #expect(opened.secretKey.bytes.isEqual(to: fixture.secretKey.bytes))
        #expect(opened.heads == sent.heads && opened.heads.count == 3 && opened.mac.count == 32)
        try opened.check(with: fixture.unlock(), for: fixture.request)
    }

    @Test func `is sealed anew each time`() throws {
        #expect(try fixture.sealed() != fixture.sealed())
        let replies = try (0..<2).map { _ in try PairingReply(fixture.sealed(), for: fixture.pending) }
        #expect(replies[0].mac == replies[1].mac)
    }

    @Test func `is refused if any byte is changed`() throws {
        let sealed = try fixture.sealed()
        for index in sealed.indices {
            let found = code(sealed.flipped(at: index))
            // A changed version is one of the future.
            #expect(found == .damaged || found == .unknownVersion && index == 6, "byte \(index)")
        }
    }

    @Test func `is refused if it was cut off, or if bytes follow it`() throws {
        let sealed = try fixture.sealed()
        for length in sealed.indices { #expect(code(Array(sealed.prefix(length))) == .damaged, "\(length) bytes") }
        #expect(code(sealed + [0]) == .damaged)
        let plaintext = try fixture.plaintext()
        #expect(try code(fixture.forged(plaintext)) == nil)
        for length in plaintext.indices {
            #expect(throws: VaultError(.damaged, ""), "\(length) bytes") {
                try PairingReply(plaintext: Array(plaintext.prefix(length)))
            }
        }
        #expect(try code(fixture.forged(plaintext + [0])) == .damaged)
    }

    @Test func `does not open on another device`() throws {
        #expect(try code(fixture.sealed(), fixture.otherDevice()) == .damaged)
    }

    /// The same keys with another name are another request, with other words.
    @Test func `does not open for another request of the same device`() throws {
        let other = try PairingRequest(
            fixture.pending.key,
            fixture.pending.keys,
            name: "Another",
            system: fixture.request.system,
            time: fixture.request.time
        )
        #expect(try code(fixture.reply().sealed(for: other, with: fixture.unlock())) == .damaged)
        let opened = try PairingReply(fixture.sealed(), for: fixture.pending)
        #expect(throws: VaultError(.damaged, "")) { try opened.check(with: fixture.unlock(), for: other) }
    }

    // MARK: The authentication code

    @Test func `is refused without the passphrase and the Secret Key`() throws {
        let opened = try PairingReply(fixture.sealed(), for: fixture.pending)
        var dearer = fixture.derivation
        dearer.passes += 1
        let otherSecretKey = try SecretKey(effects: fixture.environment.effects)
        for wrong in [
            try fixture.unlock("another"), try fixture.unlock(VaultFixture.words, otherSecretKey),
            try fixture.unlock(VaultFixture.words, nil, VaultID(genesis: [2])),
            try fixture.unlock(VaultFixture.words, nil, nil, dearer),
        ] {
            #expect(throws: VaultError(.damaged, "")) { try opened.check(with: wrong, for: fixture.request) }
        }
        try opened.check(with: fixture.unlock(), for: fixture.request)
    }

    @Test func `is refused if it names another vault than the keys, whoever made it`() throws {
        let other = try fixture.unlock(VaultFixture.words, nil, VaultID(genesis: [2]))
        let opened = try PairingReply(fixture.reply().sealed(for: fixture.request, with: other), for: fixture.pending)
        #expect(throws: VaultError(.damaged, "")) { try opened.check(with: other, for: fixture.request) }
    }

    /// What the holder of the folder can do, who has neither secret.
    @Test func `is refused with any field of another`() throws {
        let otherSecretKey = try SecretKey(effects: fixture.environment.effects).bytes.copy
        let head: [CBORValue] = [.bytes([UInt8](repeating: 9, count: 16)), 1, .bytes(PairingFixture.hash(9))]
        let unlock = try fixture.unlock()
        let mac = try PairingReply(fixture.sealed(), for: fixture.pending).mac
        for (field, value) in [
            (1, .bytes(VaultID(genesis: [2]).bytes)), (2, .bytes(PairingFixture.hash(9))), (3, .bytes(otherSecretKey)),
            (4, .bytes(PairingFixture.hash(9))), (5, .array([.array(head)])), (6, .bytes(mac.flipped(at: 0))),
            (6, .bytes(mac.flipped(at: 31))), (6, .bytes([UInt8](repeating: 0, count: 32))),
        ] as [(Int64, CBORValue)] {
            let bytes = try fixture.forged(fixture.plaintext { $0[.integer(field)] = value })
            let opened = try PairingReply(bytes, for: fixture.pending)
            #expect(throws: VaultError(.damaged, ""), "field \(field)") {
                try opened.check(with: unlock, for: fixture.request)
            }
        }
    }

    @Test func `is refused before it was sealed`() throws {
        let unlock = try fixture.unlock()
        #expect(throws: VaultError(.damaged, "")) { try fixture.reply().check(with: unlock, for: fixture.request) }
    }

    @Test func `has a key of its own`() throws {
        let unlock = try fixture.unlock()
        let others = [unlock.wrapping.copy, unlock.owner.copy, unlock.commitment]
        #expect(unlock.pairing.copy.count == 32 && !others.contains(unlock.pairing.copy))
    }

    // MARK: The form

    @Test(
        arguments: [
            (1, nil), (1, .bytes([1])), (1, "vault"), (2, nil), (2, .bytes([1])), (2, 1), (3, nil),
            (3, .bytes([UInt8](repeating: 1, count: 15))), (3, .bytes([UInt8](repeating: 1, count: 17))), (3, 1),
            (4, nil), (4, .bytes([1])), (4, 1), (5, nil), (5, .array([])), (5, 1), (5, .array([1])), (6, nil),
            (6, .bytes([1])), (6, .bytes([])), (6, 1),
        ] as [(Int64, CBORValue?)]
    )
    func `is refused if a field is missing or malformed`(field: Int64, value: CBORValue?) throws {
        #expect(try code { $0[.integer(field)] = value } == .damaged)
    }

    @Test func `has one head of each device, in order`() throws {
        func head(_ device: UInt8, _ sequence: CBORValue = 1, _ hash: [UInt8] = PairingFixture.hash(1)) -> CBORValue {
            [.bytes([UInt8](repeating: device, count: 16)), sequence, .bytes(hash)]
        }
        func code(_ heads: CBORValue...) throws -> VaultError.Code? { try self.code { $0[5] = .array(heads) } }
        #expect(try code(head(1), head(2), head(3, .unsigned(.max))) == nil)
        #expect(try code(head(2), head(1)) == .damaged)
        #expect(try code(head(1), head(1)) == .damaged)
        #expect(try code(head(1, 0)) == .damaged)
        #expect(try code(head(1, .negative(0))) == .damaged)
        #expect(try code(head(1, 1, [1])) == .damaged)
        #expect(try code([.bytes([1]), 1, .bytes(PairingFixture.hash(1))]) == .damaged)
        #expect(try code([.bytes([UInt8](repeating: 1, count: 16)), 1]) == .damaged)
        #expect(try code([.bytes([UInt8](repeating: 1, count: 16)), 1, .bytes(PairingFixture.hash(1)), 1]) == .damaged)
    }

    @Test func `may have fields of later versions`() throws {
        let bytes = try fixture.forged(
            fixture.plaintext { map in
                map[7] = ["anything"]
                map["more"] = true
            }
        )
        try PairingReply(bytes, for: fixture.pending).check(with: fixture.unlock(), for: fixture.request)
    }

    @Test func `has one form and one version`() throws {
        let sealed = try fixture.sealed()
        for (index, value) in [
            (0, "word"), (1, "1"), (2, "pairing-request"), (3, "text"), (3, .bytes([])), (4, "text"), (4, .bytes([])),
            (4, .bytes([UInt8](repeating: 0, count: 15))), (5, 0),
        ] as [(Int, CBORValue)] {
            #expect(try code(sealed.replacing(index, with: value)) == .damaged)
        }
        #expect(try code(sealed.replacing(1, with: 2)) == .unknownVersion)
        #expect(code(fixture.request.encoded) == .damaged && code([]) == .damaged)
    }

    @Test func `has at most 16,384 bytes`() throws {
        #expect(try fixture.reply(heads: 200).sealed(for: fixture.request, with: fixture.unlock()).count > 12_000)
        #expect(throws: VaultError(.damaged, "")) {
            try fixture.reply(heads: 280).sealed(for: fixture.request, with: fixture.unlock())
        }
        #expect(try code { $0[7] = .bytes([UInt8](repeating: 0, count: 14_000)) } == nil)
        #expect(try code { $0[7] = .bytes([UInt8](repeating: 0, count: 16_000)) } == .damaged)
    }

    @Test func `is sealed only if readers take it`() throws {
        let unlock = try fixture.unlock()
        let head = fixture.reply().heads[0]
        for (root, hash, heads) in [
            ([1], PairingFixture.hash(1), [head]), (PairingFixture.hash(1), [1], [head]),
            (PairingFixture.hash(1), PairingFixture.hash(1), []),
            (PairingFixture.hash(1), PairingFixture.hash(1), [head, head]),
        ] as [([UInt8], [UInt8], [LogEntry.Seen])] {
            let reply = PairingReply(
                vault: fixture.vault,
                root: root,
                secretKey: fixture.secretKey,
                headerHash: hash,
                heads: heads
            )
            #expect(throws: VaultError(.damaged, "")) { try reply.sealed(for: fixture.request, with: unlock) }
        }
    }

    @Test func `is not shown`() throws {
        #expect(isHidden(fixture.reply(), as: "PairingReply"))
    }
}
