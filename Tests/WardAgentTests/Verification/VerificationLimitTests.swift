import Testing
@testable import WardAgent

@Suite struct `How long something else than the passphrase counts` {
    private let start = ContinuousClock.now
    private func limit(_ wrong: Int = 0) -> VerificationLimit {
        var limit = VerificationLimit()
        limit.passphraseWasRight(at: start)
        for _ in 0..<wrong { _ = limit.begin(at: start) }
        return limit
    }

    @Test func `a new agent asks for the passphrase, whatever the files say`() {
        var limit = VerificationLimit()
        #expect(limit.refusal(at: start) == .notTyped)
        let mayTry = limit.begin(at: start)
        #expect(!mayTry)
        limit.succeeded()
        limit.takeBack()
        #expect(limit.refusal(at: start) == .notTyped)
    }

    @Test func `five wrong tries end in the passphrase, and the passphrase gives five more`() {
        var limit = limit(4)
        #expect(limit.refusal(at: start) == nil && limit.left == 1)
        let (fifth, sixth) = (limit.begin(at: start), limit.begin(at: start))
        #expect(fifth && !sixth)
        #expect(limit.refusal(at: start) == .tooManyTries && limit.left == 0)
        limit.passphraseWasRight(at: start)
        #expect(limit.refusal(at: start) == nil && limit.left == 5)
    }

    @Test func `a right try forgets those before it, and one that came to nothing is not counted`() {
        var limit = limit(4)
        limit.succeeded()
        #expect(limit.left == 5)
        _ = limit.begin(at: start)
        limit.takeBack()
        #expect(limit.left == 5)
    }

    @Test func `after fourteen days the passphrase is asked`() {
        let limit = limit()
        let end = start + .seconds(14 * 86_400)
        #expect(limit.refusal(at: end - .seconds(1)) == nil)
        #expect(limit.refusal(at: end) == .tooLongAgo)
    }
}
