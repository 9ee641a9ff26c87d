import Foundation
import Testing
import WardCBOR
import WardTesting

/// The examples of RFC 8949, appendix A, most of which are CBOR that CTAP2's profile has no room for.
@Suite struct `The examples of RFC 8949` {
    struct Example: Decodable {
        let hex: String
        let roundtrip: Bool
    }

    /// Why an example is refused although it is well-formed; all others are accepted.
    static let refused: [String: CBORError.Code] = [
        // Big numbers and other tags.
        "c249010000000000000000": .tag, "c349010000000000000000": .tag, "c11a514b67b0": .tag,
        "c1fb41d452d9ec200000": .tag,
        "c074323031332d30332d32315432303a30343a30305a": .tag, "d74401020304": .tag, "d818456449455446": .tag,
        "d82076687474703a2f2f7777772e6578616d706c652e636f6d": .tag,
        // Floats that are wider than they need to be.
        "fa7f800000": .notShortest, "fa7fc00000": .notShortest, "faff800000": .notShortest,
        "fb7ff0000000000000": .notShortest, "fb7ff8000000000000": .notShortest, "fbfff0000000000000": .notShortest,
        // Simple values.
        "f7": .undefined, "f0": .simpleValue, "f818": .simpleValue, "f8ff": .simpleValue,
        // Indefinite lengths.
        "5f42010243030405ff": .indefiniteLength, "7f657374726561646d696e67ff": .indefiniteLength,
        "9fff": .indefiniteLength, "9f018202039f0405ffff": .indefiniteLength, "9f01820203820405ff": .indefiniteLength,
        "83018202039f0405ff": .indefiniteLength, "83019f0203ff820405": .indefiniteLength,
        "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff": .indefiniteLength,
        "bf61610161629f0203ffff": .indefiniteLength, "826161bf61626163ff": .indefiniteLength,
        "bf6346756ef563416d7421ff": .indefiniteLength,
    ]

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `each is accepted and encoded back to itself, or refused for its own reason`() throws {
        let url = try #require(TestVectors.url("cbor/appendix_a.json"))
        let examples = try JSONDecoder().decode([Example].self, from: Data(contentsOf: url))
        #expect(examples.count == 82)
        let rules = CBORRules(maximumDepth: 4, allowsFloats: true)
        var unused = Self.refused
        for example in examples {
            let bytes = hex(example.hex)
            do throws(CBORError) {
                let value = try CBORValue.decode(bytes, rules: rules)
                #expect(value.encoded() == bytes, "\(example.hex)")
                #expect(Self.refused[example.hex] == nil, "\(example.hex) was accepted")
            } catch {
                #expect(error.code == Self.refused[example.hex], "\(example.hex): \(error)")
            }
            unused[example.hex] = nil
        }
        #expect(unused.isEmpty, "expected but not among the examples: \(unused.keys)")
    }

    @Test(
        arguments: [
            ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)), ("3903e7", -1000),
            ("f4", false), ("f5", true), ("f6", .null), ("4401020304", .bytes([1, 2, 3, 4])), ("62225c", "\"\\"),
            ("62c3bc", "ü"), ("63e6b0b4", "水"), ("64f0908591", "𐅑"), ("8301820203820405", [1, [2, 3], [4, 5]]),
            ("a201020304", [1: 2, 3: 4]), ("a26161016162820203", ["a": 1, "b": [2, 3]]),
            ("826161a161626163", ["a", ["b": "c"]]),
        ] as [(String, CBORValue)]
    )
    func `the ones of our profile mean what the RFC says`(text: String, value: CBORValue) throws {
        #expect(try CBORValue.decode(hex(text)) == value)
    }
}
