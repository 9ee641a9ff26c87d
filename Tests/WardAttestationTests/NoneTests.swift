internal import Testing
internal import WardCBOR
internal import WardRelyingParty

/// A statement that claims nothing.
struct NoneDraft: Draft {
    var fixture = AttestationFixture()
    var statement: CBORValue = [:]

    func publish() throws -> Published { try fixture.publish("none", statement) }

    static let rejections: [Rejection<NoneDraft>] = [
        .init(.noneSyntax, "with a member", "empty map") { $0.statement = ["x": 1] },
        .init(.noneSyntax, "with a signature", "empty map") { $0.statement = ["sig": .bytes([])] },
    ]
}

@Suite struct `No attestation` {
    @Test
    func `the empty map holds, and does not do where a chain is asked for`() throws {
        let published = try NoneDraft().publish()
        #expect(try published.verify().attestation.trust == .none)
        let error = #expect(throws: VerificationError.self) { try published.verify(judge: AttestationFixture.judge) }
        #expect(error?.code == .attestationNotTrusted)
    }

    @Test(arguments: NoneDraft.rejections)
    func `a broken rule is refused by its check`(_ rejection: Rejection<NoneDraft>) throws {
        try rejection.check()
    }
}
