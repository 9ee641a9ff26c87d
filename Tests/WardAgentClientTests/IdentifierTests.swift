import Foundation
import Testing
import WardWebAuthn

@testable import WardAgentClient

@Suite struct `Identifiers on the wire` {
    private typealias Entry = ProviderMessages.Entries.Entry

    private func entry(_ id: String, _ handle: String) throws -> Entry {
        let json = """
            {"reference":"r","kind":"passkey","domain":"example.com","user":"ada","credentialID":"\(id)","userHandle":"\(handle)"}
            """
        return try JSONDecoder().decode(Entry.self, from: Data(json.utf8))
    }

    @Test func `are base64url text`() throws {
        let read = try entry("-_8", "AQI")
        #expect(read.credentialID == CredentialID([0xfb, 0xff]))
        #expect(read.userHandle == UserHandle([1, 2]))
        let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(read)) as? [String: Any]
        #expect(written?["credentialID"] as? String == "-_8")
        #expect(written?["userHandle"] as? String == "AQI")
    }

    @Test(arguments: [
        ("", "AQI"), ("+/8", "AQI"), ("AQI=", "AQI"), (String(repeating: "A", count: 1_368), "AQI"), ("AQI", ""),
        ("AQI", "A Q"), ("AQI", String(repeating: "A", count: 88)),
    ])
    func `of another form or length are refused`(id: String, handle: String) {
        #expect(throws: DecodingError.self) { try entry(id, handle) }
    }
}
