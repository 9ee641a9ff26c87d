import Foundation
import Testing
import WardLog

@testable import WardVault

/// What `Tests/TestVectors/pairing/pairing.json` has, which another program made.
private struct PairingVectors: Decodable {
    struct Head: Decodable {
        let device: CircleVectors.Hexadecimal
        let sequence: UInt64
        let hash: CircleVectors.Hexadecimal
    }

    struct Reply: Decodable {
        let vault: CircleVectors.Hexadecimal
        let root: CircleVectors.Hexadecimal
        let stretched: CircleVectors.Hexadecimal
        let secretKey: CircleVectors.Hexadecimal
        let salt: CircleVectors.Hexadecimal
        let headerHash: CircleVectors.Hexadecimal
        let heads: [Head]
        let plaintext: CircleVectors.Hexadecimal
        let code: CircleVectors.Hexadecimal
        let sealed: CircleVectors.Hexadecimal
    }

    let seed: CircleVectors.Hexadecimal
    let hpkeSeed: CircleVectors.Hexadecimal
    let name: String
    let system: String
    let time: Int64
    let request: CircleVectors.Hexadecimal
    let id: CircleVectors.Hexadecimal
    let words: [Int]
    let file: CircleVectors.Hexadecimal
    let reply: Reply

    static func load() throws -> PairingVectors {
        let folder = FormatVectors.folder.deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("pairing/pairing.json"))
        return try JSONDecoder().decode(PairingVectors.self, from: data)
    }
}

@Suite struct `Pairing files that another program made` {
    private let vectors: PairingVectors

    init() throws { vectors = try PairingVectors.load() }

    @Test func `a request is the same byte for byte, and has the same words`() throws {
        var (seed, hpkeSeed) = (vectors.seed.value, vectors.hpkeSeed.value)
        let request = try PairingRequest(
            SigningSeed(wiping: &seed),
            DeviceKeys(wiping: &hpkeSeed),
            name: vectors.name,
            system: vectors.system,
            time: vectors.time
        )
        #expect(request.encoded == vectors.request.value && request.id == vectors.id.value)
        #expect(request.words == vectors.words.map { WordList.words[$0] })
        let read = try PairingRequest(encoded: vectors.request.value)
        #expect(read == request && read.name == vectors.name && read.time == vectors.time)
    }

    @Test func `the file of a device that waits is the same byte for byte`() throws {
        let fixture = try VaultFixture()
        let pending = try PendingDevice(encoded: vectors.file.value)
        #expect(pending.request.encoded == vectors.request.value)
        #expect(pending.key.bytes == vectors.seed.value && pending.keys.pair.bytes == vectors.hpkeSeed.value)
        try pending.write(at: fixture.location, fixture.environment)
        #expect(try fixture.read(fixture.location.pairing) == vectors.file.value)
    }

    @Test func `a reply opens, says the same, and proves the passphrase`() throws {
        let expected = vectors.reply
        let pending = try PendingDevice(encoded: vectors.file.value)
        let opened = try PairingReply(expected.sealed.value, for: pending)
        let heads = expected.heads.compactMap { head in
            DeviceID(head.device.value).map {
                LogEntry.Seen(device: $0, sequence: head.sequence, hash: head.hash.value)
            }
        }
        #expect(opened.vault.bytes == expected.vault.value && opened.root == expected.root.value)
        #expect(opened.secretKey.bytes.copy == expected.secretKey.value)
        #expect(opened.headerHash == expected.headerHash.value && opened.heads == heads && heads.count == 3)
        #expect(opened.encoded(with: opened.mac) == expected.plaintext.value && opened.mac == expected.code.value)
        let unlock = VaultHeader.UnlockKeys(
            try LockedBytes(expected.stretched.value),
            opened.secretKey,
            opened.vault,
            KeyDerivation(salt: expected.salt.value)
        )
        try opened.check(with: unlock, for: pending.request)
        let sent = PairingReply(
            vault: opened.vault,
            root: expected.root.value,
            secretKey: opened.secretKey,
            headerHash: expected.headerHash.value,
            heads: heads.reversed()
        )
        let answer = try PairingReply(sent.sealed(for: pending.request, with: unlock), for: pending)
        #expect(answer.encoded(with: answer.mac) == expected.plaintext.value)
    }
}
