import Testing
import WardCBOR

@Suite struct `The fields of a map` {
    @Test func `are taken once, and the others stay in their order`() throws {
        let map = try CBORValue.decode(
            [0xa4, 0x01, 0x18, 0x2a, 0x03, 0xf5, 0x20, 0x40, 0x61, 0x61, 0x00],
            rules: .webAuthn
        )
        var fields = try #require(CBORFields(map))
        #expect(fields.take(3) == true)
        #expect(fields.take(3) == nil)
        #expect(fields.take(7) == nil)
        #expect(fields.take("a") == 0)
        #expect(fields.take(-1) == .bytes([]))
        #expect(fields.rest == [CBORPair(key: 1, value: 42)])
        #expect(fields.value == [1: 42])
    }

    @Test func `are written in canonical order, beside those that were kept`() {
        var fields = CBORFields(keeping: [CBORPair(key: 9, value: "later")])
        fields.put("a", 0)
        fields.put(-1, .bytes([]))
        fields.put(1, 42)
        fields.put(2, nil)
        let expected: [UInt8] = [
            0xa4, 0x01, 0x18, 0x2a, 0x09, 0x65, 0x6c, 0x61, 0x74, 0x65, 0x72, 0x20, 0x40, 0x61, 0x61, 0x00,
        ]
        #expect(fields.encoded == expected)
        #expect(CBORFields().encoded == [0xa0])
    }

    @Test(arguments: [[], 1, "a", .null, nil] as [CBORValue?]) func `are those of a map alone`(value: CBORValue?) {
        #expect(CBORFields(value) == nil)
    }
}
