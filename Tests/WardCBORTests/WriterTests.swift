import Testing
import WardCBOR

@Suite struct `Writing` {
    @Test(
        arguments: [
            (0, "00"), (23, "17"), (24, "1818"), (255, "18ff"), (256, "190100"), (65_535, "19ffff"),
            (65_536, "1a00010000"),
            (4_294_967_295, "1affffffff"), (4_294_967_296, "1b0000000100000000"), (.max, "1b7fffffffffffffff"),
            (-1, "20"), (-24, "37"), (-25, "3818"), (-256, "38ff"), (-257, "390100"), (-65_537, "3a00010000"),
            (.min, "3b7fffffffffffffff"),
        ] as [(Int64, String)]
    )
    func `integers take their shortest form and come back`(value: Int64, text: String) throws {
        var writer = CBORWriter()
        writer.write(integer: value)
        #expect(writer.bytes == hex(text))
        let bytes = writer.bytes
        var reader = CBORReader()
        #expect(try reader.readInteger(bytes.span) == value)
        #expect(try CBORValue.decode(bytes).integerValue == value)
        #expect(CBORValue.integer(value).encoded() == bytes)
    }

    @Test func `strings and containers of every length class are read back`() throws {
        let rules = CBORRules(maximumDepth: 4, maximumItems: 100_000, maximumLength: 100_000)
        for count in [0, 1, 23, 24, 255, 256, 65_535, 65_536] {
            let bytes = CBORValue.bytes([UInt8](repeating: 1, count: count))
            let text = CBORValue.text(String(repeating: "a", count: count))
            let array = CBORValue.array([CBORValue](repeating: 1, count: count))
            for value in [bytes, text, array] {
                #expect(try CBORValue.decode(value.encoded(), rules: rules) == value)
            }
        }
        let map = CBORValue.map((0..<300).map { CBORPair(key: .unsigned($0), value: .null) })
        #expect(try CBORValue.decode(map.encoded()) == map)
    }

    @Test func `pieces written one by one are one item`() throws {
        var writer = CBORWriter()
        writer.writeMap(count: 3)
        writer.write(unsigned: 1)
        writer.writeArray(count: 4)
        writer.write(bool: true)
        writer.write(bool: false)
        writer.writeNull()
        writer.write(negative: .max)
        writer.write(text: "a")
        writer.write(value: ["b": 1])
        writer.write(text: "b")
        writer.write(encoded: [0x41, 0x00])
        let expected: CBORValue = [1: [true, false, .null, .negative(.max)], "a": ["b": 1], "b": .bytes([0])]
        #expect(try CBORValue.decode(writer.bytes) == expected)
    }

    @Test func `maps are sorted by their encoded keys`() {
        let value: CBORValue = ["b": 0, "aa": 0, -1: 0, 100: 0, 10: 0, "": 0, -100: 0, "é": 0]
        #expect(value.encoded() == hex("a8 0a00 186400 2000 386300 6000 616200 62616100 62c3a900"))
    }

    @Test func `of a key given twice the last value counts`() throws {
        let value: CBORValue = [1: 1, 2: 2, 1: 3]
        #expect(value.encoded() == hex("a2 0103 0202"))
        #expect(value[1] == 3)
    }

    @Test func `spellings of a letter that Unicode calls equal are different keys`() {
        let composed = CBORValue.text("\u{e9}")
        let decomposed = CBORValue.text("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(CBORValue.map([CBORPair(key: composed, value: 1)])["e\u{301}"] == nil)
    }

    @Test(
        arguments: [
            (0, "f90000"), (-0.0, "f98000"), (1, "f93c00"), (65_504, "f97bff"), (100_000, "fa47c35000"),
            (1.1, "fb3ff199999999999a"),
            (5.960464477539063e-8, "f90001"), (.infinity, "f97c00"), (-.infinity, "f9fc00"),
            (3.4028234663852886e+38, "fa7f7fffff"),
            (1.0e+300, "fb7e37e43c8800759c"),
        ] as [(Double, String)]
    )
    func `floats take the shortest form that holds them`(value: Double, text: String) throws {
        #expect(CBORValue.float(value).encoded() == hex(text))
        #expect(try CBORValue.decode(hex(text), rules: CBORRules(maximumDepth: 1, allowsFloats: true)) == .float(value))
    }

    @Test func `any NaN is the one NaN`() {
        #expect(CBORValue.float(.nan).encoded() == hex("f97e00"))
        #expect(CBORValue.float(.signalingNaN).encoded() == hex("f97e00"))
        #expect(CBORValue.float(-Double.nan).encoded() == hex("f97e00"))
    }

    @Test func `accessors answer for their own kind alone`() {
        let value: CBORValue = [1: [true], "text": "a", "bytes": .bytes([1]), "null": .null, "large": .unsigned(.max)]
        #expect(value.mapValue?.count == 5)
        #expect(value[1]?.arrayValue?.first?.boolValue == true)
        #expect(value["text"]?.textValue == "a")
        #expect(value["bytes"]?.bytesValue == [1])
        #expect(value["large"]?.integerValue == nil)
        #expect(value["absent"] == nil)
        #expect(value[2] == nil)
        #expect(value["text"]?["a"] == nil)
        for wrong in [value["null"], value[1]] {
            #expect(wrong?.textValue == nil)
            #expect(wrong?.bytesValue == nil)
            #expect(wrong?.integerValue == nil)
            #expect(wrong?.boolValue == nil)
            #expect(wrong?.mapValue == nil)
        }
    }
}
