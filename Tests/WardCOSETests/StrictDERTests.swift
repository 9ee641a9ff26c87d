import Testing
import WardCOSE

/// A way to write a signature that is not the one DER has for it.
struct Respelling: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let respell: @Sendable (_ r: [UInt8], _ s: [UInt8]) -> [UInt8]

    init(_ description: String, _ respell: @escaping @Sendable (_ r: [UInt8], _ s: [UInt8]) -> [UInt8]) {
        testDescription = description
        self.respell = respell
    }

    static func integer(_ bytes: [UInt8]) -> [UInt8] { [0x02, UInt8(bytes.count)] + bytes }
    static func sequence(_ bytes: [UInt8]) -> [UInt8] { [0x30, UInt8(bytes.count)] + bytes }
    static func signature(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] { sequence(integer(r) + integer(s)) }

    /// The order of P-256.
    static let order = hex("00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    /// Adds two numbers of the same length.
    static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var carry = 0
        var result = [UInt8](repeating: 0, count: left.count)
        for index in left.indices.reversed() {
            let digit = Int(left[index]) + Int(right[index]) + carry
            result[index] = UInt8(digit & 0xff)
            carry = digit >> 8
        }
        return result
    }

    /// Each is given r and s with a zero in front, as both have their highest bit set.
    static let all = [
        Self("nothing") { _, _ in [] },
        Self("the bare numbers") { r, s in Array(r.dropFirst() + s.dropFirst()) },
        Self("a byte behind the signature") { r, s in signature(r, s) + [0] },
        Self("a byte behind s, inside the sequence") { r, s in sequence(integer(r) + integer(s) + [0]) },
        Self("a third number") { r, s in sequence(integer(r) + integer(s) + integer([1])) },
        Self("one number") { r, _ in sequence(integer(r)) },
        Self("no number") { _, _ in sequence([]) },
        Self("the head alone") { _, _ in [0x30] },
        Self("the sequence's length in two bytes") { r, s in [0x30, 0x81] + signature(r, s).dropFirst() },
        Self("the sequence's length in three bytes") { r, s in [0x30, 0x82, 0x00] + signature(r, s).dropFirst() },
        Self("r's length in two bytes") { r, s in sequence([0x02, 0x81, 0x21] + r + integer(s)) },
        Self("s's length in three bytes") { r, s in sequence(integer(r) + [0x02, 0x82, 0x00, 0x21] + s) },
        Self("an indefinite length") { r, s in [0x30, 0x80] + integer(r) + integer(s) + [0x00, 0x00] },
        Self("a length that is reserved") { r, s in [0x30, 0xff] + integer(r) + integer(s) },
        Self("a length one too long") { r, s in [0x30, 0x47] + integer(r) + integer(s) },
        Self("a length one too short") { r, s in [0x30, 0x45] + integer(r) + integer(s) },
        Self("a set") { r, s in [0x31] + signature(r, s).dropFirst() },
        Self("a primitive sequence") { r, s in [0x10] + signature(r, s).dropFirst() },
        Self("r as a bit string") { r, s in sequence([0x03] + integer(r).dropFirst() + integer(s)) },
        Self("s as an octet string") { r, s in sequence(integer(r) + [0x04] + integer(s).dropFirst()) },
        Self("r without its zero, so that it is negative") { r, s in signature(Array(r.dropFirst()), s) },
        Self("s without its zero, so that it is negative") { r, s in signature(r, Array(s.dropFirst())) },
        Self("r with one zero more") { r, s in signature([0] + r, s) },
        Self("s with one zero more") { r, s in signature(r, [0] + s) },
        Self("an empty r") { _, s in signature([], s) },
        Self("an empty s") { r, _ in signature(r, []) },
        Self("r of zero") { _, s in signature([0], s) },
        Self("s of zero") { r, _ in signature(r, [0]) },
        Self("both zero, which fits any message where it is not refused") { _, _ in signature([0], [0]) },
        Self("both empty") { _, _ in signature([], []) },
        Self("both one") { _, _ in signature([1], [1]) },
        Self("r of the order") { _, s in signature(order, s) },
        Self("s of the order") { r, _ in signature(r, order) },
        Self("both the order") { _, _ in signature(order, order) },
        Self("r longer than a coordinate") { r, s in signature([1] + r, s) },
        Self("s plus the order") { r, s in signature(r, [1] + sum(s, order).dropFirst()) },
        Self("r plus the order") { r, s in signature([1] + sum(r, order).dropFirst(), s) },
        Self("r and s swapped") { r, s in signature(s, r) },
    ]
}

@Suite struct `ECDSA signatures in strict DER` {
    /// A signature whose numbers both need a zero in front, so that every respelling has something to take away.
    static let fixture: (key: VerificationKey, message: [UInt8], r: [UInt8], s: [UInt8])? = {
        guard let key = try? COSEPrivateKey.generate(.es256), let imported = try? key.publicKey.verificationKey() else {
            return nil
        }
        for round in 0..<200 as Range<UInt8> {
            guard let signature = try? key.sign([round]), signature.count == 72 else { continue }
            return (imported, [round], Array(signature[4..<37]), Array(signature[39..<72]))
        }
        return nil
    }()

    @Test(arguments: Respelling.all)
    func `any other spelling is invalid`(respelling: Respelling) throws {
        let (key, message, r, s) = try #require(Self.fixture)
        #expect(key.isValid(signature: Respelling.signature(r, s), for: message))
        #expect(!key.isValid(signature: respelling.respell(r, s), for: message))
    }

    @Test func `signatures over P-521 have lengths of two bytes, and those are read`() throws {
        let key = try COSEPrivateKey.generate(.es512)
        let imported = try key.publicKey.verificationKey()
        let signature = try key.sign([1])
        #expect(signature.starts(with: [0x30, 0x81]))
        #expect(imported.isValid(signature: signature, for: [1]))
        #expect(!imported.isValid(signature: [0x30, 0x82, 0x00] + signature.dropFirst(2), for: [1]))
        #expect(!imported.isValid(signature: [0x30, 0x81], for: [1]))
    }

    @Test func `every shorter signature is invalid`() throws {
        let (key, message, r, s) = try #require(Self.fixture)
        let signature = Respelling.signature(r, s)
        for length in 0..<signature.count {
            #expect(!key.isValid(signature: Array(signature.prefix(length)), for: message))
        }
    }
}
