import Foundation
import Testing
import WardAttestation
import WardTesting
import WardText

@Suite(.enabled(if: TestVectors.areAvailable, "the folder of published answers is absent"))
struct `Metadata BLOB` {
    static let day: Int64 = 1_622_505_600

    private func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: try #require(TestVectors.url("mds3/\(name)"))))
    }

    private func anchors() throws -> TrustAnchors { try TrustAnchors(der: [try file("example-root.der")]) }

    @Test(arguments: ["example-blob.jwt", "example-blob-rawsig.jwt"])
    func `the specification's example verifies`(name: String) throws {
        let blob = try MetadataBLOB(verifying: try file(name), anchors: try anchors(), at: Self.day)
        #expect(blob.number == 15)
        #expect(blob.nextUpdate == "2020-03-30")
        #expect(blob.entries.count == 2)
        #expect(!blob.isOutdated(at: 1_585_500_000))  // 2020-03-29
        #expect(blob.isOutdated(at: 1_585_526_400))  // 2020-03-30
        let entry = try #require(blob.entries.first { $0.aaguid != nil })
        let aaguid = try #require(entry.aaguid)
        #expect(blob[aaguid]?.name == entry.name)
        #expect(entry.name?.isEmpty == false)
        #expect(entry.icon?.hasPrefix("data:image/png") == true)
        #expect(!entry.anchors.isEmpty)
    }

    @Test func `a bit anywhere in what is signed or in the signature refuses it`() throws {
        let text = try file("example-blob-rawsig.jwt")
        let trust = try anchors()
        for index in stride(from: 0, to: text.count, by: 97) where text[index] != UInt8(ascii: ".") {
            var changed = text
            // Another letter of the alphabet.
            changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: MetadataError.self, "byte \(index)") {
                _ = try MetadataBLOB(verifying: changed, anchors: trust, at: Self.day)
            }
        }
    }

    @Test func `one certificate less leads nowhere`() throws {
        let parts = String(decoding: try file("example-blob-rawsig.jwt"), as: UTF8.self).split(separator: ".")
        let header = try JSONValue(try #require(Base64URL.decode(String(parts[0]))))
        let chain = try #require(header["x5c"]?.arrayValue)
        let shorter: JSONValue = ["alg": "ES256", "typ": "JWT", "x5c": .array([chain[0]])]
        let text = [Base64URL.encode(shorter.serialized), String(parts[1]), String(parts[2])].joined(separator: ".")
        #expect(throws: MetadataError.self) {
            _ = try MetadataBLOB(verifying: Array(text.utf8), anchors: try anchors(), at: Self.day)
        }
    }

    @Test func `another root does not vouch for it`() throws {
        let error = #expect(throws: MetadataError.self) {
            _ = try MetadataBLOB(verifying: try file("example-blob-rawsig.jwt"), anchors: .fidoMetadata, at: Self.day)
        }
        #expect(error?.code == .notTrusted)
        #expect(!TrustAnchors.fidoMetadata.isEmpty)
    }

    @Test func `certificates that ran out do not vouch for it`() throws {
        let error = #expect(throws: MetadataError.self) {
            _ = try MetadataBLOB(
                verifying: try file("example-blob-rawsig.jwt"),
                anchors: try anchors(),
                at: 4_000_000_000
            )
        }
        #expect(error?.code == .notTrusted)
    }

    @Test(arguments: ["", ".", "..", "a.b.c", "e30.e30.", "\u{feff}"])
    func `what is no BLOB is an error`(text: String) throws {
        #expect(throws: MetadataError.self) {
            _ = try MetadataBLOB(verifying: Array(text.utf8), anchors: try anchors(), at: Self.day)
        }
    }
}

@Suite struct `Status reports` {
    private func entry(_ reports: String) throws -> MetadataEntry {
        try JSONDecoder().decode(MetadataEntry.self, from: Data("{\"statusReports\":[\(reports)]}".utf8))
    }

    private func report(_ status: String, _ day: String?) -> String {
        "{\"status\":\"\(status)\"" + (day.map { ",\"effectiveDate\":\"\($0)\"" } ?? "") + "}"
    }

    private static let now: Int64 = 1_700_000_000  // 2023-11-14

    @Test func `they are judged in the order in which they took effect, not in which they are listed`() throws {
        // Bug class 36: a revocation that is listed first and happened last.
        let revoked = try entry(
            [report("REVOKED", "2022-01-01"), report("FIDO_CERTIFIED_L1", "2021-01-01")].joined(separator: ",")
        )
        #expect(revoked.status(at: Self.now).concerns == [.revoked])
        #expect(revoked.status(at: Self.now).certification == .notCertified)
        let again = try entry(
            [report("FIDO_CERTIFIED_L2", "2023-01-01"), report("REVOKED", "2022-01-01")].joined(separator: ",")
        )
        #expect(again.status(at: Self.now).concerns.isEmpty)
        #expect(again.status(at: Self.now).certification == .level2)
    }

    @Test func `what takes effect later does not count yet`() throws {
        let entry = try entry(
            [report("FIDO_CERTIFIED_L1", nil), report("REVOKED", "2030-01-01")].joined(separator: ",")
        )
        #expect(entry.status(at: Self.now) == AuthenticatorStatus(certification: .level1))
    }

    @Test(arguments: [
        "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
        "USER_KEY_PHYSICAL_COMPROMISE",
    ])
    func `what is known against a model stays known after an update`(status: String) throws {
        let reports = [
            report(status, "2022-01-01"), report("UPDATE_AVAILABLE", "2022-06-01"),
            report("FIDO_CERTIFIED_L1", "2023-01-01"),
        ]
        let concerns = try entry(reports.joined(separator: ",")).status(at: Self.now).concerns
        #expect(concerns.contains(AuthenticatorConcern(rawValue: status)))
    }
}
