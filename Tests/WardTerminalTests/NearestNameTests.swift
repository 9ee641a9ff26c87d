import Testing
import WardTerminal

@Suite struct `The nearest name` {
    private static let names = ["passkeys-only", "rp-id", "rp-name", "log-level", "origin"]

    @Test(arguments: [
        ("passkey_only", "passkeys-only"), ("rpid", "rp-id"), ("ORIGINS", "origin"), ("orgiin", "origin"),
        ("pass", "passkeys-only"),
        ("log", "log-level"), ("rp-nam", "rp-name"),
    ])
    func `is what a person most likely meant`(_ typed: String, _ meant: String) {
        #expect(NearestName.of(typed, among: Self.names) == meant)
    }

    @Test func `is missing where nothing is near`() {
        #expect(NearestName.of("unrelated", among: Self.names) == nil)
        #expect(NearestName.of("", among: Self.names) == nil)
        #expect(NearestName.of("origin", among: []) == nil)
        #expect(NearestName.of(String(repeating: "x", count: 1_000_000), among: Self.names) == nil)
    }
}
