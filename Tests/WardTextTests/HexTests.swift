import Testing
import WardText

@Suite struct `Hexadecimal digits` {
    @Test func `every byte is a pair of digits in either case`() {
        let all = Array(UInt8.min...UInt8.max)
        let text = Hex.encode(all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
        #expect(Hex.encode(all, uppercase: true) == text.uppercased())
        #expect(Hex.decode(text) == all)
        #expect(Hex.decode(text.uppercased()) == all)
        #expect(Hex.encode(all.prefix(2)) == "0001")
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "000", "0g", "g0", "0x00", " 00", "00 ", "+1", "-1", "0:00", "\u{ff11}\u{ff11}", "00é"])
    func `anything but pairs of digits is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
