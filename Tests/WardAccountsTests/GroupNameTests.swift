import Testing
import WardAccounts

@Suite struct `Names of groups` {
    @Test(arguments: ["a", "0", "admins", "team-1_b.c", String(repeating: "x", count: 64)])
    func `a name stays as it is`(text: String) throws {
        #expect(try GroupName(text).text == text)
    }

    @Test(arguments: [
        "", "Admins", "-a", ".a", "_a", "a b", "a,b", "a;b", "ädmins", "a\n", "a\r\nRemote-User: eve", "a\u{0}", "a%20",
        "а",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: GroupNameError.malformed) { try GroupName(text) }
    }

    @Test func `the length is bounded`() {
        #expect(throws: GroupNameError.tooLong) { try GroupName(String(repeating: "x", count: 65)) }
        #expect(throws: GroupNameError.tooLong) { try GroupName(String(repeating: "é", count: 33)) }
    }

    @Test func `the order is that of the bytes`() throws {
        #expect(
            try ["b", "a.b", "a-b", "a", "ab"].map { try GroupName($0) }.sorted().map(\.text) == [
                "a", "a-b", "a.b", "ab", "b",
            ]
        )
    }
}
