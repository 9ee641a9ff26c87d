import Testing
import WardExchange

struct ImportFormatTests {
    @Test func `A file of no known format is refused`() {
        let source = ImportSource(name: "x.bin", bytes: [0, 1, 2, 3], now: 0)
        #expect(throws: ImportError(.unknownFormat)) { try ImportFormat.of(source) }
    }

    @Test func `Every format has a word of its own`() {
        #expect(Set(ImportFormat.all.map(\.id)).count == ImportFormat.all.count)
    }
}
