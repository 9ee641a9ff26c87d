import Foundation
import Testing
import WardText
import WardWebAuthn

@Suite struct `Credential records as JSON` {
    private func record() throws -> CredentialRecord {
        CredentialRecord(
            id: try #require(CredentialID([1, 2])),
            userHandle: try #require(UserHandle([3])),
            publicKey: [0xa0],
            signCount: .max,
            uvInitialized: true,
            transports: [.hybrid, "telepathy"],
            backupEligible: true,
            backedUp: false,
            aaguid: try #require(AAGUID("00010203-0405-0607-0809-0a0b0c0d0e0f")),
            attestationFormat: "packed",
            attestationObject: [4],
            clientDataJSON: [5],
            rpID: "example.com"
        )
    }

    @Test func `every field comes back, through any coder`() throws {
        var record = try record()
        #expect(try CredentialRecord(json: record.json) == record)
        (record.attestationObject, record.clientDataJSON, record.transports) = (nil, nil, [])
        let data = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(CredentialRecord.self, from: data) == record)
    }

    @Test func `the names are those of the standard's credential record`() throws {
        let names = try #require(try record().value.objectValue?.map(\.name))
        let standard = [
            "type", "id", "publicKey", "signCount", "transports", "uvInitialized", "backupEligible", "backupState",
            "attestationObject", "attestationClientDataJSON", "rpId",
        ]
        #expect(Set(names).isSuperset(of: standard))
    }

    static let wrong: [(String, JSONValue?, WebAuthnError.Code)] = [
        ("id", nil, .missingMember), ("id", "", .valueOutOfRange), ("id", "a=", .notBase64URL),
        ("userHandle", nil, .missingMember), ("userHandle", "", .valueOutOfRange),
        ("publicKey", nil, .missingMember), ("publicKey", 1, .wrongType),
        ("signCount", -1, .valueOutOfRange), ("signCount", 4_294_967_296, .valueOutOfRange),
        ("signCount", "1", .wrongType), ("uvInitialized", nil, .missingMember), ("uvInitialized", "true", .wrongType),
        ("backupEligible", nil, .missingMember), ("backupState", nil, .missingMember),
        ("aaguid", "0", .valueOutOfRange), ("rpId", nil, .missingMember), ("transports", "usb", .wrongType),
        ("attestationObject", "=", .notBase64URL), ("attestationClientDataJSON", 1, .wrongType),
    ]

    @Test func `what is absent or wrong is named`() throws {
        let members = try #require(try record().value.objectValue)
        for (name, value, code) in Self.wrong {
            var changed = members.filter { $0.name != name }
            if let value { changed.append(.init(name, value)) }
            let error = #expect(throws: WebAuthnError(code, ""), "\(name)") {
                try CredentialRecord(JSONValue.object(changed))
            }
            #expect(error?.detail.contains("credentialRecord.\(name)") == true, "\(error?.detail ?? "")")
        }
        #expect(throws: WebAuthnError(.wrongType, "")) { try CredentialRecord(JSONValue.array([])) }
    }
}
