import Crypto
import Testing
import WardCBOR
import WardLog

@testable import WardVault

@Suite struct `The request of a new device` {
    private let fixture: PairingFixture

    init() throws { fixture = try PairingFixture() }

    private func code(_ bytes: [UInt8]) -> VaultError.Code? {
        do {
            _ = try PairingRequest(encoded: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    private func code(_ change: (inout [CBORValue: CBORValue]) -> Void) throws -> VaultError.Code? {
        code(try fixture.request(change))
    }

    @Test func `says which keys, which name and which system the device has`() throws {
        let request = fixture.request
        #expect(request.name == "Laptop" && request.system == "Debian GNU/Linux 12" && request.time == 1_700_000_000)
        #expect(request.device.publicKey == fixture.pending.key.publicKey)
        #expect(request.device.suite == 2 && request.device.sealingKey == fixture.pending.keys.publicKey)
        #expect(request.id == Array(SHA256.hash(data: request.encoded).prefix(16)))
        #expect(try PairingRequest(encoded: request.encoded) == request)
        #expect(request.encoded.count < PairingRequest.maximumLength)
        #expect(try fixture.otherDevice().request.id != request.id)
    }

    @Test func `is refused if any byte is changed`() throws {
        let encoded = fixture.request.encoded
        for index in encoded.indices {
            let found = code(encoded.flipped(at: index))
            // A changed version is one of the future.
            #expect(found == .damaged || found == .unknownVersion && index == 6, "byte \(index)")
        }
    }

    @Test func `is refused if it was cut off, or if bytes follow it`() throws {
        let encoded = fixture.request.encoded
        for length in encoded.indices { #expect(code(Array(encoded.prefix(length))) == .damaged, "\(length) bytes") }
        #expect(code(encoded + [0]) == .damaged)
    }

    @Test func `is refused with the signature of another device`() throws {
        let other = try fixture.otherDevice()
        let (payload, signature) = try PairingMessage(fixture.request.encoded, as: .request).parts
        let forged = try other.key.sign(PairingRequest.message(payload))
        #expect(code(PairingMessage(payload, forged).encoded(as: .request)) == .damaged)
        // A signature of the same key for something else.
        let plain = try fixture.pending.key.sign(payload)
        #expect(code(PairingMessage(payload, plain).encoded(as: .request)) == .damaged)
        for wrong in [[], Array(signature.dropLast()), signature + [0]] {
            #expect(code(PairingMessage(payload, wrong).encoded(as: .request)) == .damaged)
        }
        #expect(try code(fixture.request(payload: payload)) == nil)
    }

    @Test(
        arguments: [
            (1, nil), (1, .bytes([1])), (1, "key"), (2, nil), (2, "2"), (2, .negative(1)), (3, nil), (3, .bytes([])),
            (3, .bytes([UInt8](repeating: 0, count: 1215))), (3, .bytes([UInt8](repeating: 0, count: 1217))),
            (3, .bytes([UInt8](repeating: 0xff, count: 1216))), (3, "key"), (4, nil), (4, ""), (4, .bytes([65])),
            (4, "a\nb"), (4, "a\u{1b}[2J"), (4, "\u{7f}"), (4, "\u{9b}"), (4, "\u{0}"), (5, nil), (5, ""),
            (5, .bytes([65])), (5, "a\nb"), (6, nil), (6, .negative(0)), (6, .unsigned(1 << 63)), (6, "now"),
        ] as [(Int64, CBORValue?)]
    )
    func `is refused if a field is missing or malformed`(field: Int64, value: CBORValue?) throws {
        #expect(try code { $0[.integer(field)] = value } == .damaged)
    }

    /// Otherwise the circle would get a device to which nothing can be sealed.
    @Test func `is refused with a key of HPKE that gives a secret that everybody knows`() throws {
        let key = Array(fixture.request.device.sealingKey.dropLast(32)) + [UInt8](repeating: 0, count: 32)
        #expect(try code { $0[3] = .bytes(key) } == .damaged)
    }

    @Test func `is refused if the payload is no map, or has bytes behind it`() throws {
        let payload = try PairingMessage(fixture.request.encoded, as: .request).parts.0
        for wrong in [[], payload + [0], CBORValue.array([]).encoded(), Array(payload.dropLast())] {
            #expect(try code(fixture.request(payload: wrong)) == .damaged)
        }
    }

    @Test(arguments: [4, 5] as [CBORValue])
    func `has a name and a system of 1 to 200 bytes`(field: CBORValue) throws {
        #expect(try code { $0[field] = .text(String(repeating: "ä", count: 100)) } == nil)
        #expect(try code { $0[field] = .text(String(repeating: "ä", count: 100) + "a") } == .damaged)
        #expect(try code { $0[field] = "a" } == nil)
        let long = String(repeating: "a", count: 201)
        for wrong in ["", "a\u{1}", long] {
            #expect(throws: VaultError(.unavailable, "")) {
                try PendingDevice(name: wrong, system: "Debian", fixture.environment)
            }
            #expect(throws: VaultError(.unavailable, "")) {
                try PendingDevice(name: "Laptop", system: wrong, fixture.environment)
            }
        }
    }

    @Test func `needs suite 2`() throws {
        for suite: UInt64 in [0, 1, 3, .max] {
            #expect(try code { $0[2] = .unsigned(suite) } == .unknownVersion)
            // The key of another suite has another length.
            #expect(
                try code { map in
                    map[2] = .unsigned(suite)
                    map[3] = .bytes([UInt8](repeating: 1, count: 32))
                } == .unknownVersion
            )
        }
    }

    @Test func `may have fields of later versions`() throws {
        let bytes = try fixture.request { map in
            map[7] = ["anything"]
            map["more"] = true
        }
        let request = try PairingRequest(encoded: bytes)
        #expect(request.device == fixture.request.device && request.id != fixture.request.id)
    }

    @Test func `has one form and one version`() throws {
        let encoded = fixture.request.encoded
        for (index, value) in [
            (0, "word"), (0, 1), (1, "1"), (1, .negative(1)), (2, "pairing-reply"), (2, 1), (3, "text"), (4, "text"),
            (5, 0),
        ] as [(Int, CBORValue)] {
            #expect(try code(encoded.replacing(index, with: value)) == .damaged)
        }
        for version: UInt64 in [0, 2, .max] {
            #expect(try code(encoded.replacing(1, with: .unsigned(version))) == .unknownVersion)
        }
        #expect(code(CBORValue.array(["ward", 2, "pairing-request"]).encoded()) == .unknownVersion)
        #expect(code(CBORValue.array(["ward", 2]).encoded()) == .damaged)
        #expect(code([]) == .damaged && code([0xf6]) == .damaged)
    }

    @Test func `has at most 4,096 bytes`() throws {
        let rest = PairingRequest.maximumLength - (try fixture.request { $0[7] = .bytes([]) }).count
        for (more, expected) in [(-3, nil), (1, .damaged)] as [(Int, VaultError.Code?)] {
            let bytes = try fixture.request { $0[7] = .bytes([UInt8](repeating: 0, count: rest + more)) }
            #expect(bytes.count - PairingRequest.maximumLength == (expected == nil ? -1 : 3))
            #expect(code(bytes) == expected)
        }
    }

    @Test func `is offered for 7 days`() throws {
        let (request, time) = (fixture.request, fixture.request.time)
        #expect(!request.isOld(time) && !request.isOld(time + 7 * 86_400) && request.isOld(time + 7 * 86_400 + 1))
        // A clock that is wrong hides nothing, and stops nothing.
        #expect(!request.isOld(0) && !request.isOld(.min) && request.isOld(.max))
        let early = try PairingRequest(encoded: try fixture.request { $0[6] = 0 })
        #expect(!early.isOld(7 * 86_400) && early.isOld(7 * 86_400 + 1))
    }
}

@Suite struct `The words of a request` {
    @Test func `are eight words of the first 4,096 in the list, 12 bits each`() {
        let list = WordList.words
        #expect(Set(list.prefix(4096)).count == 4096)
        #expect(PairingWords.words([UInt8](repeating: 0, count: 32)) == [String](repeating: list[0], count: 8))
        #expect(PairingWords.words([UInt8](repeating: 0xff, count: 32)) == [String](repeating: list[4095], count: 8))
        let hash: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98]
        let numbers = [0x012, 0x345, 0x678, 0x9ab, 0xcde, 0xffe, 0xdcb, 0xa98]
        #expect(PairingWords.words(hash + [1, 2, 3]) == numbers.map { list[$0] })
        // What comes after the first 96 bits does nothing.
        #expect(PairingWords.words(hash + [9, 9]) == PairingWords.words(hash))
    }

    @Test func `are all equally likely`() {
        var seen: Set<String> = []
        for number in 0..<4096 {
            let words = PairingWords.words(
                [UInt8(number >> 4), UInt8(number & 15) << 4] + [UInt8](repeating: 0, count: 30)
            )
            seen.insert(words[0])
        }
        #expect(seen.count == 4096)
    }

    @Test func `stay the same, and differ if any byte of the request does`() throws {
        let request = try PairingFixture().request
        #expect(try PairingRequest(encoded: request.encoded).words == request.words && request.words.count == 8)
        #expect(PairingWords.of(request.encoded) == request.words)
        for index in request.encoded.indices {
            #expect(PairingWords.of(request.encoded.flipped(at: index)) != request.words, "byte \(index)")
        }
        #expect(PairingWords.of(Array("request".utf8)) == knownAnswer)
    }

    /// From SHA-256 of `ward/v1/pairing/words`, a zero byte and `request`.
    private let knownAnswer = [
        "monoxide", "gaming", "jackknife", "move", "amendment", "nacho", "creed", "earthworm",
    ]
}
