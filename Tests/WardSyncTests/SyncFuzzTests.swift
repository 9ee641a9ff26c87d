import Foundation
import Testing
import WardCBOR
import WardLog

@testable import WardSync
@testable import WardVault

/// Changes everything that comes from a folder, a server or a meeting at random: it is read or refused, and what is read is written alike.
///
/// `Scripts/fuzz sync` does the same for longer: `WARD_FUZZ_RUNS` is the number of changed files of each kind. The file that
/// is tried is in the folder `WARD_FUZZ_INPUT`, so that it is there if it stops the process.
@Suite struct SyncFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runs = environment["WARD_FUZZ_RUNS"].flatMap(Int.init) ?? 500

    private let folder: PairingFolderFixture
    private let pending: PendingDevice

    init() throws {
        folder = try PairingFolderFixture()
        pending = try folder.device(1_700_000_000)
    }

    /// Changes bytes again and again, and keeps each before it is tried.
    private func change(_ name: String, _ bytes: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        let input = Self.environment["WARD_FUZZ_INPUT"].map { $0 + "/" + name }
        var mutator = ByteMutator(seed: UInt64(Self.runs), bytes)
        for _ in 0..<Self.runs {
            let changed = mutator.next()
            if let input { try FolderFixture.put(changed, at: input) }
            try body(changed)
        }
    }

    @Test func `A changed segment is read or refused, and what is read is written alike`() throws {
        let device = DeviceFixture(folder.root.vault)
        var builder = SegmentBuilder(vault: device.vault, device: device.id)
        for record in try device.write(3) + device.write(1, blob: nil) { _ = builder.append(record) }
        let identity = SegmentIdentity(folder: [], file: [], size: 0, modified: 0)
        try change("segment", builder.bytes) { bytes in
            guard let segment = try? Segment.decode(bytes, identity, of: device.vault) else { return }
            var again = SegmentBuilder(vault: device.vault, device: segment.device)
            for record in segment.records { _ = again.append(record) }
            #expect(again.bytes == bytes)
        }
    }

    @Test func `A changed entry is read or refused, and what is read is written alike`() throws {
        let device = DeviceFixture(folder.root.vault)
        let entry = try #require(try device.write(2).last).entry
        try change("entry", entry.encoded) { bytes in
            guard let signed = try? SignedEntry(encoded: bytes) else { return }
            let again = SignedEntry(entry: signed.entry, payload: signed.payload, signature: signed.signature)
            #expect(again.encoded == bytes && again.hash == signed.hash)
        }
    }

    @Test func `A changed page of a server is read or refused, and what is read follows what was asked for`() throws {
        let device = DeviceFixture(folder.root.vault)
        let records = try device.write(3) + device.write(1, blob: nil)
        let body = records.enumerated().flatMap { index, record in
            let parts: [CBORValue] = [
                .integer(Int64(index) + 6), .bytes(record.entry.encoded), record.blob.map { .bytes($0) } ?? .null,
            ]
            return CBORValue.array(parts).encoded()
        }
        let order = [UInt8](repeating: 1, count: 16)
        func page(_ body: [UInt8], isCut: Bool) throws -> ServerPage {
            let answer = ServerAnswer(status: 200, body: body, isCut: isCut, head: 9, order: order)
            return try ServerPage(answer, after: 5, limit: 500)
        }
        #expect(try page(body, isCut: false).entries.map(\.record) == records)
        for isCut in [false, true] {
            try change("page", body) { bytes in
                guard let read = try? page(bytes, isCut: isCut) else { return }
                #expect(read.entries.map(\.number) == Array(6..<(6 + UInt64(read.entries.count))))
                #expect(isCut || read.entries.count == 4)
            }
        }
    }

    @Test func `A changed message of a meeting is read or refused, and what is read is written alike`() throws {
        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
        let nonce = bytes(MeetingMessage.nonceLength)
        let messages: [MeetingMessage] = [
            .offer(nonce: nonce), .share(nonce: nonce, share: bytes(32), associatedData: bytes(70)),
            .answer(share: bytes(32), associatedData: bytes(70), tag: bytes(64)),
            .request(tag: bytes(64), encapsulation: bytes(32), ciphertext: bytes(300)),
            .reply(encapsulation: bytes(32), ciphertext: bytes(300)),
        ]
        for message in messages {
            try change("meeting", message.encoded) { bytes in
                guard let read = try? MeetingMessage(bytes) else { return }
                #expect(read.encoded == bytes)
            }
        }
    }

    @Test func `A changed request is read or refused`() throws {
        try change("request", pending.request.encoded) { bytes in
            guard let request = try? PairingRequest(encoded: bytes) else { return }
            #expect(request.encoded == bytes && request.words.count == 8)
        }
    }

    /// With a right signature, which the writer of the request can make.
    @Test func `A changed payload of a request is read or refused`() throws {
        let payload = try PairingMessage(pending.request.encoded, as: .request).parts.0
        try change("payload", payload) { bytes in
            let signature = try pending.key.sign(PairingRequest.message(bytes))
            let message = PairingMessage(bytes, signature).encoded(as: .request)
            guard let request = try? PairingRequest(encoded: message) else { return }
            #expect(PairingRequest.isLabel(request.name) && PairingRequest.isLabel(request.system))
            #expect(request.device.suite == 2 && request.device.publicKey == pending.key.publicKey)
        }
    }

    @Test func `A changed reply is refused`() throws {
        let (reply, unlock) = try reply()
        let sealed = try reply.sealed(for: pending.request, with: unlock)
        try change("reply", sealed) { bytes in
            guard bytes != sealed else { return }
            #expect((try? PairingReply(bytes, for: pending)) == nil)
        }
    }

    /// With a right seal, which everybody who knows the request can make.
    @Test func `A changed plaintext of a reply is read or refused`() throws {
        let (reply, unlock) = try reply()
        let opened = try PairingReply(reply.sealed(for: pending.request, with: unlock), for: pending)
        let plaintext = opened.encoded(with: opened.mac)
        try change("plaintext", plaintext) { bytes in
            guard bytes != plaintext, let changed = try? PairingReply(plaintext: bytes) else { return }
            #expect(!changed.heads.isEmpty && changed.root.count == 32 && changed.headerHash.count == 32)
            // Only a field of a later version may be another one.
            if changed.encoded(with: changed.mac) != plaintext {
                #expect(throws: VaultError(.damaged, "")) { try changed.check(with: unlock, for: pending.request) }
            }
        }
    }

    private func reply() throws -> (PairingReply, VaultHeader.UnlockKeys) {
        let vault = folder.root.vault
        let secretKey = try #require(try SecretKey(LockedBytes([UInt8](repeating: 5, count: 16))))
        let heads = (UInt8(1)...3).map { number in
            LogEntry.Seen(
                device: DeviceID(publicKey: [number]),
                sequence: UInt64(number),
                hash: [UInt8](repeating: number, count: 32)
            )
        }
        let hash = [UInt8](repeating: 1, count: 32)
        let unlock = VaultHeader.UnlockKeys(
            try LockedBytes(hash),
            secretKey,
            vault,
            KeyDerivation(salt: Array(hash.prefix(KeyDerivation.saltLength)))
        )
        return (PairingReply(vault: vault, root: hash, secretKey: secretKey, headerHash: hash, heads: heads), unlock)
    }
}
