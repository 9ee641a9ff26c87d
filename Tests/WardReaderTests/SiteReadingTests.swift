import Testing

@testable import WardReader

/// Pages and icons from a hostile site. What a page and an icon give: `Tests/Interop/test_manager_icons.py`.
@Suite struct `Pages and icons of sites` {
    private static let page = Array(
        """
        <!doctype html><html><head><meta charset="utf-8"><title>Sign in · Example &amp; Co</title><base href="/base/">\
        <meta property="og:site_name" content="Example"><meta name="application-name" content="App"><link rel="manifest" href="/m">\
        <link rel="shortcut icon" href="/favicon.ico"><link rel="icon" type="image/png" sizes="16x16 32x32" href="a.png">\
        <link rel="apple-touch-icon" href="b.png"></head><body><svg><title>no</title></svg><p>text</body></html>
        """.utf8
    )

    /// An icon file with one bitmap of 32 bits.
    private static let icon: [UInt8] = {
        func little(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let bitmap =
            little(40, 4) + little(4, 4) + little(8, 4) + little(1, 2) + little(32, 2) + little(0, 24)
            + [UInt8](repeating: 0x80, count: 4 * 4 * 4 + 4 * 4)
        return little(0, 2) + little(1, 2) + little(1, 2) + [4, 4, 0, 0] + little(1, 2) + little(32, 2)
            + little(bitmap.count, 4) + little(22, 4) + bitmap
    }()

    /// Changes, removes and repeats bytes, always in the same way for one number.
    private static func changed(_ bytes: [UInt8], _ seed: Int) -> [UInt8] {
        var (bytes, state) = (bytes, UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(max(1, bound)))
        }
        for _ in 0...next(6) where !bytes.isEmpty {
            let place = next(bytes.count)
            switch next(4) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: next(256))
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + next(20)))
            case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + next(60))], at: next(bytes.count))
            default: bytes[place] = [0, 0xff, 0x7f, 0x80][next(4)]
            }
        }
        return bytes
    }

    @Test func `a page says its names and icons`() {
        let page = SitePage(Self.page)
        #expect(page.siteName == "Example" && page.applicationName == "App" && page.title == "Sign in · Example & Co")
        #expect(page.manifest == "/m" && page.base == "/base/")
        #expect(page.icons.map(\.href) == ["/favicon.ico", "a.png", "b.png"])
        #expect(page.icons.map(\.isForTouch) == [false, false, true])
    }

    @Test func `five thousand changed pages bring nothing down`() {
        for seed in 0..<5_000 {
            let page = SitePage(Self.changed(Self.page, seed))
            #expect(page.icons.count <= 32 && (page.title ?? "").utf8.count <= 3 * 2048)
        }
    }

    @Test func `five thousand changed icons bring nothing down`() {
        #expect(SiteIcon.png(from: Self.icon) != nil)
        for seed in 0..<5_000 {
            let icon = SiteIcon.png(from: Self.changed(Self.icon, seed))
            #expect(icon.map { $0.count <= SiteIcon.maximumSize } ?? true)
        }
    }
}
