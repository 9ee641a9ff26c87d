import Crypto
import Foundation
import Testing

@testable import WardRistretto
@testable import WardVault

/// What `Tests/TestVectors/meeting/meeting.json` has, which another program made.
private struct MeetingVectors: Decodable {
    struct Drawn: Decodable {
        let nonce: CircleVectors.Hexadecimal
        let seed: CircleVectors.Hexadecimal
        let scalar: CircleVectors.Hexadecimal

        func keys() throws -> HPKEKeyPair {
            var seed = seed.value
            return try HPKEKeyPair(.x25519, wiping: &seed)
        }

        func party(_ role: CPace.Role, _ inputs: CPace.Inputs, _ associated: [UInt8]) throws -> CPace {
            var scalar = scalar.value
            return try CPace(role, inputs, associatedData: associated, scalar: SecretBytes(wiping: &scalar))
        }
    }

    let code: String
    let host: String
    let member: Drawn
    let newDevice: Drawn
    let session: CircleVectors.Hexadecimal
    let messages: [CircleVectors.Hexadecimal]

    static func load() throws -> MeetingVectors {
        let folder = FormatVectors.folder.deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("meeting/meeting.json"))
        return try JSONDecoder().decode(MeetingVectors.self, from: data)
    }
}

@Suite struct `A meeting that another program made` {
    private let vectors: MeetingVectors
    private let messages: [MeetingMessage]
    private let inputs: CPace.Inputs

    init() throws {
        vectors = try MeetingVectors.load()
        messages = try vectors.messages.map { try MeetingMessage($0.value) }
        let code = try #require(PairingCode(given: vectors.code))
        inputs = MeetingPlace(host: vectors.host, meeting: code.meeting, session: vectors.session.value).inputs(code)
    }

    @Test func `has the same messages byte for byte`() throws {
        #expect(messages.map(\.encoded) == vectors.messages.map(\.value))
        #expect(messages[0] == .offer(nonce: vectors.member.nonce.value))
        #expect(vectors.session.value == vectors.member.nonce.value + vectors.newDevice.nonce.value)
    }

    @Test func `is the same for both devices, from the code to the reply`() throws {
        guard case .share(_, let shareA, let dataA) = messages[1],
            case .answer(let shareB, let dataB, let tagB) = messages[2],
            case .request(let tagA, let encapsulationA, let ciphertextA) = messages[3],
            case .reply(let encapsulationB, let ciphertextB) = messages[4]
        else {
            Issue.record("the messages are others")
            return
        }
        let pending = try PendingDevice(encoded: PairingFiles.value("file"))
        let hash = Array(SHA256.hash(data: pending.request.encoded))
        let (keysA, keysB) = (try vectors.newDevice.keys(), try vectors.member.keys())
        let a = MeetingParty(.newDevice, publicKey: keysA.publicKey, requestHash: hash)
        let b = MeetingParty(.member, publicKey: keysB.publicKey)
        #expect(a.encoded == dataA && b.encoded == dataB)
        #expect(try MeetingParty(dataA, as: .newDevice) == a && MeetingParty(dataB, as: .member) == b)

        let partyA = try vectors.newDevice.party(.initiator, inputs, dataA)
        let partyB = try vectors.member.party(.responder, inputs, dataB)
        #expect(partyA.share == shareA && partyB.share == shareB)
        let keyA = try partyA.finish(share: shareB, associatedData: dataB)
        let keyB = try partyB.finish(share: shareA, associatedData: dataA)
        #expect(keyA.tag == tagA && keyB.tag == tagB && keyA.isConfirmed(by: tagB) && keyB.isConfirmed(by: tagA))

        let memberChannel = MeetingChannel(keysB, a, keyB, session: vectors.session.value)
        let asked = try memberChannel.open(ciphertextA, encapsulationA, of: .newDevice)
        #expect(asked == [0xa1, 1, 0x59] + Self.length(pending.request.encoded) + pending.request.encoded)
        let deviceChannel = MeetingChannel(keysA, b, keyA, session: vectors.session.value)
        let reply = try deviceChannel.open(ciphertextB, encapsulationB, of: .member)
        #expect(reply.suffix(20) == (try PairingFiles.value("reply", "sealed")).suffix(20))
        // Each direction has its own info.
        #expect(throws: PairingFault(.codesDiffer)) {
            try deviceChannel.open(ciphertextB, encapsulationB, of: .newDevice)
        }
    }

    private static func length(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)]
    }
}

/// Values of `Tests/TestVectors/pairing/pairing.json`.
enum PairingFiles {
    static func value(_ path: String...) throws -> [UInt8] {
        let folder = FormatVectors.folder.deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("pairing/pairing.json"))
        var value: Any? = try JSONSerialization.jsonObject(with: data)
        for name in path { value = (value as? [String: Any])?[name] }
        return bytes(hex: try #require(value as? String))
    }
}
