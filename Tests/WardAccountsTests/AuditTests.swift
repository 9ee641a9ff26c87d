import Crypto
import Testing
import WardAccounts
import WardText
import WardWebAuthn

@Suite struct `The audit log` {
    private static let key = Curve25519.Signing.PrivateKey()

    private static func entries(_ count: Int) -> [AuditEntry] {
        var point = AuditPoint.start
        return (0..<count).map { index in
            let entry = point.next(AuditEvent(.signedIn, at: Int64(index), of: nil))
            point = entry.point
            return entry
        }
    }

    private static func head(_ entry: AuditEntry) throws -> AuditSeal {
        try AuditSeal(.head, entry.point, at: 9, by: key)
    }

    private static func finding(
        _ entries: [AuditEntry],
        checkpoint: AuditSeal? = nil,
        heads: [AuditSeal] = []
    ) -> AuditVerification.Finding? {
        var verification = AuditVerification(checkpoint: checkpoint, heads: heads, key: key.publicKey)
        for entry in entries { verification.read(entry) }
        return verification.finding()
    }

    @Test func `has the hash that the format's page computes by hand`() {
        let event = AuditEvent(
            .passkeyAdded,
            at: 1_700_000_000,
            of: AccountID(Array(repeating: 1, count: 16)),
            method: .recoveryLink,
            credential: CredentialID([2, 3])
        )
        let entry = AuditPoint.start.next(event)
        #expect(entry.number == 1)
        #expect(Hex.encode(entry.hash) == "f0dfe3570bdf005a3fddbab9efc3c46baecbc25f585f4fc0e2f7739f629d6225")
    }

    @Test func `has another hash with details, over their text as it is stored`() {
        let session = SessionID(Array(repeating: 3, count: 16))
        var event = AuditEvent(.signedIn, at: 1_700_000_000, of: AccountID(Array(repeating: 1, count: 16)))
        let plain = AuditPoint.start.next(event).hash
        event.details = AuditDetails(session: session)
        #expect(event.details.text == #"{"session":"AwMDAwMDAwMDAwMDAwMDAw"}"# && event.details.session == session)
        let hash = AuditPoint.start.next(event).hash
        #expect(Hex.encode(hash) == "53feb1c987df1a86859d55dbebf2d2acf463834664eb56f01b0e56165e1a6997")
        event.details = AuditDetails(text: #"{"session": "AwMDAwMDAwMDAwMDAwMDAw"}"#)
        #expect(Set([plain, hash, AuditPoint.start.next(event).hash]).count == 3)
        for text in ["", "x", "[]", "{", "{\"a\":\"b\",\"session\":1}"] {
            let details = AuditDetails(text: text)
            #expect(details.session == nil && details.values.count <= 1 && details.text == text)
        }
        let all = AuditDetails(session: session, address: "192.0.2.1", wrongPasswords: 7)
        let text = #"{"address":"192.0.2.1","session":"AwMDAwMDAwMDAwMDAwMDAw","wrong_passwords":"7"}"#
        #expect(all.text == text && AuditDetails(text: text) == all)
        #expect(all.session == session && all.address == "192.0.2.1" && all.wrongPasswords == 7)
        #expect(AuditDetails().text == nil && AuditDetails().values.isEmpty)
    }

    @Test func `depends on every value of a row`() {
        let (account, other) = (AccountID(Array(repeating: 1, count: 16)), AccountID(Array(repeating: 2, count: 16)))
        let (passkey, second) = (CredentialID([1]), CredentialID([2]))
        let events = [
            AuditEvent(.signedIn, at: 1, of: account, method: .passkey, credential: passkey),
            AuditEvent(.signedOut, at: 1, of: account, method: .passkey, credential: passkey),
            AuditEvent(.signedIn, at: 2, of: account, method: .passkey, credential: passkey),
            AuditEvent(.signedIn, at: 1, by: .operator, of: account, method: .passkey, credential: passkey),
            AuditEvent(.signedIn, at: 1, of: other, method: .passkey, credential: passkey),
            AuditEvent(.signedIn, at: 1, of: nil, method: .passkey, credential: passkey),
            AuditEvent(.signedIn, at: 1, of: account, method: .password, credential: passkey),
            AuditEvent(.signedIn, at: 1, of: account, method: nil, credential: passkey),
            AuditEvent(.signedIn, at: 1, of: account, method: .passkey, credential: second),
            AuditEvent(.signedIn, at: 1, of: account, method: .passkey),
        ]
        let before = AuditPoint(number: 1, hash: AuditPoint.start.hash)
        let hashes = events.map { AuditPoint.start.next($0).hash } + [before.next(events[0]).hash]
        #expect(Set(hashes).count == events.count + 1)
    }

    @Test func `names the first row that is missing or was changed`() throws {
        let entries = Self.entries(6)
        #expect(Self.finding(entries) == nil)
        #expect(Self.finding([]) == nil)
        for index in 0..<6 {
            var changed = entries
            changed[index].event.time += 1
            #expect(Self.finding(changed) == .changed(number: Int64(index + 1)))
            var removed = entries
            removed.remove(at: index)
            let expected: AuditVerification.Finding? = index < 5 ? .removed(number: Int64(index + 1)) : nil
            #expect(Self.finding(removed) == expected, "only a head knows the last row")
            #expect(
                Self.finding(removed, heads: [try Self.head(entries[5])])
                    == expected ?? .cutOff(first: 6, last: 6)
            )
        }
    }

    @Test func `finds hashes that were computed anew, between the heads around them`() throws {
        let entries = Self.entries(6)
        let heads = try [Self.head(entries[1]), Self.head(entries[3]), Self.head(entries[5])]
        #expect(Self.finding(entries, heads: heads.reversed()) == nil)
        var point = entries[1].point
        let anew =
            Array(entries[..<2])
            + entries[2...].map { entry in
                let next = point.next(AuditEvent(.signedOut, at: entry.event.time, of: nil))
                point = next.point
                return next
            }
        #expect(Self.finding(anew) == nil)
        #expect(Self.finding(anew, heads: heads) == .rewritten(first: 3, last: 4))
    }

    @Test func `takes no head and no checkpoint of another key, or in the other's place`() throws {
        let entries = Self.entries(4)
        let other = Curve25519.Signing.PrivateKey()
        let forged = try AuditSeal(.head, entries[3].point, at: 9, by: other)
        #expect(Self.finding(entries, heads: [forged]) == .headForged(number: 4))
        var moved = try Self.head(entries[3])
        moved.time += 1
        #expect(Self.finding(entries, heads: [moved]) == .headForged(number: 4))
        let checkpoint = try AuditSeal(.checkpoint, entries[1].point, at: 9, by: Self.key)
        #expect(Self.finding(Array(entries[2...]), checkpoint: checkpoint, heads: [try Self.head(entries[0])]) == nil)
        #expect(Self.finding(entries, heads: [checkpoint]) == .headForged(number: 2))
        let head = try Self.head(entries[1])
        #expect(Self.finding(Array(entries[2...]), checkpoint: head) == .checkpointForged)
        var disguised = head
        disguised.purpose = .checkpoint
        #expect(Self.finding(Array(entries[2...]), checkpoint: disguised) == .checkpointForged)
    }

    @Test func `has heads that are one line of JSON`() throws {
        let head = try Self.head(Self.entries(3)[2])
        #expect(AuditSeal(head: try JSONValue(Array(head.json.text.utf8))) == head)
        for wrong: JSONValue in [[:], ["number": 1], 5, ["number": 1, "time": 1, "hash": "00", "signature": ""]] {
            #expect(AuditSeal(head: wrong) == nil)
        }
    }
}
