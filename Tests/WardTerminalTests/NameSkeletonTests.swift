import Testing
import WardTerminal

@Suite struct `The skeleton of a name` {
    @Test(arguments: [
        "phone", "Phone", "PHONE", "phone ", " phone", "pho ne", "phone\u{a0}", "phone\u{3000}", "pho\u{34f}ne",
        "phone\u{200b}", "pho\u{200d}ne", "phone\u{ad}", "phone\u{fe0f}", "phone\u{3164}", "phone\u{ffa0}",
        "phone\u{2800}", "phone\u{2063}", "phone\u{e0020}", "phone\u{202e}", "phone\n", "\u{ff50}\u{ff48}\u{ff4f}ne",
    ])
    func `is the same for names that look the same`(_ name: String) {
        #expect(NameSkeleton.of(name) == "phone")
    }

    @Test func `is the same for the forms of one letter`() {
        #expect(NameSkeleton.of("Zoe\u{308}") == NameSkeleton.of("ZO\u{cb}"))
        #expect(NameSkeleton.of("STRASSE") == NameSkeleton.of("stra\u{df}e"))
    }

    @Test(arguments: [("phone", "phone2"), ("phone", "ph\u{f6}ne"), ("phone", "tablet"), ("desk-1", "desk 1")])
    func `differs for names that look different`(_ one: String, _ other: String) {
        #expect(NameSkeleton.of(one) != NameSkeleton.of(other))
    }

    @Test func `is empty if nothing is visible`() {
        #expect(NameSkeleton.of(" \u{34f}\u{200b}\u{2800}").isEmpty)
    }
}
