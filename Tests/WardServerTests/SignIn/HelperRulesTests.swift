import Testing
import WardAccounts
import WardServer
import WardTesting

@Suite struct `What the help of another person is worth` {
    private static let account = AccountID.random(using: TestEffects().randomBytes)
    private static let other = AccountID.random(using: TestEffects(seed: "other").randomBytes)

    private static func link(_ source: RecoveryLink.Source, wait: RecoveryLink.Wait = .none) -> RecoveryLink {
        RecoveryLink(
            accountID: account,
            source: source,
            tokenHash: [1],
            createdAt: 0,
            expiresAt: 10_000,
            needsProof: true,
            wait: wait
        )
    }

    private static let subsets: [Set<RecoveryProof>] = RecoveryProof.allCases.reduce([[]]) { all, proof in
        all + all.map { $0.union([proof]) }
    }

    @Test func `an approval is the second proof beside a mailed link, and nothing beside another link`() {
        let waits: [RecoveryLink.Wait] = [.none, .afterNotice, .until(6), .until(5)]
        let helps: [RecoveryTerms.Help] = [.none, .available, .asked(until: 9), .approved]
        var cases = 0
        for source in RecoveryLink.Source.allCases {
            for (hasPasskey, proofs) in [true, false].flatMap({ one in Self.subsets.map { (one, $0) } }) {
                for (wait, help) in waits.flatMap({ one in helps.map { (one, $0) } }) {
                    let link = Self.link(source, wait: wait)
                    let without = RecoveryVerdict(
                        link,
                        RecoveryTerms(hasPasskey: hasPasskey, proofs: proofs),
                        at: 5
                    )
                    let terms = RecoveryTerms(hasPasskey: hasPasskey, proofs: proofs, help: help)
                    let verdict = RecoveryVerdict(link, terms, at: 5)
                    let opens = source == .mail && help == .approved
                    #expect(verdict == (opens ? .open : without), "\(source) \(terms) \(wait)")
                    cases += 1
                }
            }
        }
        #expect(cases == 3 * 2 * 8 * 4 * 4)
    }

    @Test func `a helper counts a week after accepting, and only while the account exists`() {
        var helper = RecoveryHelper(id: [1], ownerID: Self.account, name: "bob", helperID: Self.other, createdAt: 5)
        let late: Int64 = 100 * 86_400
        #expect(helper.state(at: late) == .asked)
        helper.acceptedAt = 10
        let countsAt = 10 + HelperRules.delay
        #expect(helper.state(at: 9) == .accepted(countsAt: countsAt), "the clock was set back")
        #expect(helper.state(at: countsAt - 1) == .accepted(countsAt: countsAt))
        #expect(helper.state(at: countsAt) == .active)
        helper.helperID = nil
        #expect(helper.state(at: late) == .ended)
        (helper.helperID, helper.acceptedAt) = (Self.other, .max)
        #expect(helper.state(at: .max) != .active)
        helper.acceptedAt = nil
        helper.helperID = nil
        #expect(helper.state(at: late) == .asked, "a name that nobody has looks like any other")
    }

    @Test func `a request is open once, after the notice, in time, and before five wrong codes`() {
        let open = HelpRequest(
            accountID: Self.account,
            tokenHash: [1],
            codeHash: [2],
            createdAt: 10,
            expiresAt: 20,
            toldAt: 11
        )
        #expect(open.isOpen(at: 10) && open.isOpen(at: 19))
        #expect(!open.isOpen(at: 20) && !open.isOpen(at: 9))
        let spoiled: [(String, (inout HelpRequest) -> Void)] = [
            ("the notice has not left", { $0.toldAt = nil }), ("it was approved", { $0.approvedBy = Self.other }),
            ("too many wrong codes", { $0.wrongCodes = HelperRules.mostWrongCodes }),
        ]
        for (what, spoil) in spoiled {
            var request = open
            spoil(&request)
            #expect(!request.isOpen(at: 15), "\(what)")
        }
        var almost = open
        almost.wrongCodes = HelperRules.mostWrongCodes - 1
        #expect(almost.isOpen(at: 15))
    }
}
