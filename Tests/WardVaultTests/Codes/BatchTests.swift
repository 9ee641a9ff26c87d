import Foundation
import Testing
import WardText
import WardVault

/// Writes the message of a transfer, so that tests say what is in it.
private struct Message {
    var bytes: [UInt8] = []

    mutating func put(_ number: Int, _ value: UInt64) {
        varint(UInt64(number << 3))
        varint(value)
    }

    mutating func put(_ number: Int, _ value: [UInt8]) {
        varint(UInt64(number << 3 | 2))
        varint(UInt64(value.count))
        bytes += value
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    static func entry(
        secret: [UInt8] = [1, 2, 3],
        name: String = "alice",
        issuer: String = "Example",
        algorithm: UInt64 = 1,
        digits: UInt64 = 1,
        type: UInt64 = 2,
        counter: UInt64? = nil
    ) -> [UInt8] {
        var message = Message()
        message.put(1, secret)
        message.put(2, Array(name.utf8))
        message.put(3, Array(issuer.utf8))
        message.put(4, algorithm)
        message.put(5, digits)
        message.put(6, type)
        if let counter { message.put(7, counter) }
        return message.bytes
    }

    static func link(_ bytes: [UInt8]) -> String {
        let data = Data(bytes).base64EncodedString()
        let encoded = data.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "otpauth-migration://offline?data=" + encoded
    }
}

@Suite struct `Transfers between phones` {
    @Test func `codes, numbers and refusals are read`() throws {
        var message = Message()
        message.put(1, Message.entry())
        message.put(1, Message.entry(name: "Example:bob", algorithm: 3, digits: 2, type: 1, counter: 42))
        message.put(1, Message.entry(name: "carol", algorithm: 4))
        message.put(1, Message.entry(name: "carol", digits: 3))
        message.put(1, Message.entry(secret: [], name: "dave", issuer: ""))
        message.put(1, Message.entry(name: "erin", type: 9))
        message.put(2, 1)
        message.put(3, 3)
        message.put(4, 1)
        message.put(5, UInt64(bitPattern: -5))
        let batch = try OneTimePasswordBatch(Message.link(message.bytes))
        #expect(batch.codes.count == 2)
        #expect(
            try batch.codes.first
                == OneTimePassword(secret: [1, 2, 3], issuer: "Example", account: "alice")
        )
        #expect(
            try batch.codes.last
                == OneTimePassword(
                    .hotp(counter: 42),
                    secret: [1, 2, 3],
                    algorithm: .sha512,
                    digits: 8,
                    issuer: "Example",
                    account: "bob"
                )
        )
        #expect(batch.refused.map(\.name) == ["Example: carol", "Example: carol", "dave", "Example: erin"])
        #expect(batch.refused.map(\.reason.code) == [.algorithm, .digits, .secret, .kind])
        #expect(batch.index == 1)
        #expect(batch.count == 3)
        #expect(batch.id == -5)
    }

    @Test func `a real phone's link is read`() throws {
        // Made by hand from the published field numbers: one code, secret "Hello!\u{de}\u{ad}\u{be}\u{ef}".
        let link =
            "otpauth-migration://offline?data=CjUKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZSABKAEwAhAB"
        let batch = try OneTimePasswordBatch(link)
        let code = try #require(batch.codes.first)
        #expect(code.account == "alice@google.com")
        #expect(code.issuer == "Example")
        #expect(Base32.encode(code.secret.revealed) == "JBSWY3DPEHPK3PXP")
        #expect(batch.count == 1)
    }

    @Test(arguments: [
        "otpauth://totp/a?secret=AA", "otpauth-migration://offline", "otpauth-migration://offline?data=!!",
        "otpauth-migration://offline?data=CgX", "otpauth-migration://offline?data=%ff",
    ])
    func `what is not a transfer is refused`(text: String) {
        #expect(throws: OneTimePasswordError.self) { try OneTimePasswordBatch(text) }
    }

    @Test func `lengths that promise more than there is are refused`() {
        for bytes: [UInt8] in [
            [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x0a], [0x08, 0xff], [0x09, 1, 2], [0x0b], [0x0d, 1], [0x00, 0x01],
            [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
        ] {
            #expect(throws: OneTimePasswordError(.batch, "")) { try OneTimePasswordBatch(Message.link(bytes)) }
        }
    }

    @Test func `a message cut anywhere or with any bit changed never traps`() {
        var message = Message()
        message.put(1, Message.entry(counter: 9))
        message.put(3, 2)
        for index in message.bytes.indices {
            _ = try? OneTimePasswordBatch(Message.link(Array(message.bytes.prefix(index))))
            for bit in 0..<8 {
                var changed = message.bytes
                changed[index] ^= 1 << bit
                _ = try? OneTimePasswordBatch(Message.link(changed))
            }
        }
    }

    @Test func `a transfer with more codes than any phone sends is refused`() {
        // Larger than a link may be, so the length alone stops it; the bound on codes stands behind it.
        var message = Message()
        for _ in 0..<2000 { message.put(1, Message.entry()) }
        #expect(throws: OneTimePasswordError(.link, "")) { try OneTimePasswordBatch(Message.link(message.bytes)) }
        var empty = Message()
        for _ in 0..<1500 { empty.put(1, []) }
        #expect(throws: OneTimePasswordError(.batch, "")) { try OneTimePasswordBatch(Message.link(empty.bytes)) }
    }
}
