import Testing
import WardCBOR

@testable import WardVault

/// The name and the icon that a site gives itself.
@Suite struct SiteAppearanceTests {
    /// The beginning of a PNG file with these edges, and some bytes.
    static func png(_ width: Int, _ height: Int, size: Int = 100) -> [UInt8] {
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        let head: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        let known = head + bytes(width) + bytes(height)
        return known + [UInt8](repeating: 7, count: size - known.count)
    }

    @Test func `a name is cleaned and cut`() {
        #expect(SiteAppearance(name: " Pay\u{202e}Pal\u{7}\n", icon: [], fetchedAt: 1)?.name == "PayPal")
        #expect(SiteAppearance(name: String(repeating: "x", count: 500), icon: [], fetchedAt: 1)?.name.count == 64)
        let stacked = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(SiteAppearance(name: stacked, icon: [], fetchedAt: 1)?.name.unicodeScalars.count == 256)
        #expect(SiteAppearance(name: "\u{202e}\n", icon: [], fetchedAt: 1) == nil)
    }

    @Test func `an icon is a small PNG file`() {
        #expect(SiteAppearance(name: "", icon: Self.png(64, 64), fetchedAt: 1)?.icon.count == 100)
        #expect(SiteAppearance(name: "", icon: Self.png(1, 64, size: 16_384), fetchedAt: 1) != nil)
        for icon in [
            Self.png(65, 64), Self.png(64, 65), Self.png(0, 64), Self.png(64, 64, size: 16_385),
            Array(Self.png(64, 64).dropFirst()), Array(Self.png(64, 64).prefix(33)), Array("<svg/>".utf8),
        ] {
            #expect(SiteAppearance(name: "Name", icon: icon, fetchedAt: 1) == nil)
        }
    }

    @Test func `an item keeps it, and one that cannot be read is no fault of the item`() throws {
        var item = Item(title: "One")
        item.appearance = SiteAppearance(name: "Site", icon: Self.png(32, 32), fetchedAt: 77)
        let read = try Item(encoded: item.encoded())
        #expect(read.appearance == item.appearance)
        let large = CBORValue.map([CBORPair(key: .integer(2), value: .bytes(Self.png(200, 200)))])
        item.appearance = nil
        let value = try CBORValue.decode(item.encoded())
        let pairs = (value.mapValue ?? []) + [CBORPair(key: .integer(21), value: large)]
        #expect(try Item(encoded: CBORValue.map(pairs).encoded()).appearance == nil)
    }

    @Test func `of two devices the later fetch counts, and what only one changed stays`() throws {
        func made(_ name: String, _ time: Int64) -> SiteAppearance? {
            SiteAppearance(name: name, icon: [], fetchedAt: time)
        }
        func merged(_ base: SiteAppearance?, _ earlier: SiteAppearance?, _ later: SiteAppearance?) -> String? {
            SiteAppearance.merged(base, earlier, later)?.name
        }
        #expect(merged(nil, made("A", 1), made("B", 2)) == "B")
        #expect(merged(nil, made("A", 2), made("B", 1)) == "A")
        #expect(merged(made("A", 1), made("A", 1), nil) == nil)
        #expect(merged(made("A", 1), nil, made("A", 1)) == nil)
        #expect(merged(made("A", 1), made("B", 2), made("A", 1)) == "B")
        #expect(merged(nil, made("A", 1), nil) == "A")
    }

    @Test func `a fetch that finds the same is written only when it is old`() {
        var item = Item(title: "One")
        func set(_ name: String, _ time: Int64) -> Bool {
            item.setAppearance(SiteAppearance(name: name, icon: [], fetchedAt: time))
        }
        #expect(set("A", 100) && !set("A", 200) && set("B", 300) && !set("B", 300 + SiteAppearance.staleAfter - 1))
        #expect(set("B", 300 + SiteAppearance.staleAfter) && item.setAppearance(nil) && !item.setAppearance(nil))
    }
}
