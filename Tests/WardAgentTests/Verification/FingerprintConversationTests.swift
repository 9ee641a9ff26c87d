import Testing
@testable import WardAgent

@Suite struct `A conversation with fprintd` {
    private func waiting() -> FingerprintConversation {
        var conversation = FingerprintConversation()
        #expect(conversation.handle(.claimed) == .startVerification)
        #expect(conversation.handle(.started) == .wait)
        return conversation
    }

    @Test func `ends with a match, and stops and releases`() {
        var conversation = waiting()
        let end = conversation.handle(.status("verify-match", isDone: true))
        #expect(end == .finish(.match, stops: true, releases: true))
        #expect(conversation.handle(.status("verify-match", isDone: true)) == .wait)
    }

    @Test func `ends with a finger that is somebody else's`() {
        var conversation = waiting()
        let end = conversation.handle(.status("verify-no-match", isDone: true))
        #expect(end == .finish(.noMatch, stops: true, releases: true))
    }

    @Test(
        arguments: [
            "verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered", "verify-remove-and-retry",
            "verify-something-new",
        ]
    )
    func `goes on where the finger is to be put again`(status: String) {
        var conversation = waiting()
        #expect(conversation.handle(.status(status, isDone: false)) == .wait)
        let end = conversation.handle(.status("verify-match", isDone: true))
        #expect(end == .finish(.match, stops: true, releases: true))
    }

    @Test(arguments: ["verify-unknown-error", "verify-something-new"])
    func `an end that is neither is not a match`(status: String) {
        var conversation = waiting()
        guard case .finish(.unavailable, true, true) = conversation.handle(.status(status, isDone: true)) else {
            Issue.record("something else")
            return
        }
    }

    @Test func `a reader that is unplugged is left alone`() {
        var conversation = waiting()
        let end = conversation.handle(.status("verify-disconnected", isDone: true))
        let result = FingerprintResult.unavailable(.gone)
        #expect(end == .finish(result, stops: false, releases: false))
    }

    @Test func `a match before the reader waits is somebody else's`() {
        var conversation = FingerprintConversation()
        #expect(conversation.handle(.status("verify-match", isDone: true)) == .wait)
        #expect(conversation.handle(.claimed) == .startVerification)
        #expect(conversation.handle(.status("verify-match", isDone: true)) == .wait)
    }

    @Test func `what fails is released as far as it was taken`() {
        var claiming = FingerprintConversation()
        let inUse = FingerprintResult.unavailable(.inUse)
        #expect(
            claiming.handle(.failed("net.reactivated.Fprint.Error.AlreadyInUse"))
                == .finish(inUse, stops: false, releases: false)
        )
        var starting = FingerprintConversation()
        _ = starting.handle(.claimed)
        let noFinger = FingerprintResult.unavailable(.notEnrolled)
        #expect(
            starting.handle(.failed("net.reactivated.Fprint.Error.NoEnrolledPrints"))
                == .finish(noFinger, stops: false, releases: true)
        )
    }

    @Test func `ends when nobody waits, and when the service does`() {
        var cancelled = waiting()
        #expect(cancelled.handle(.cancelled) == .finish(.cancelled, stops: true, releases: true))
        var gone = waiting()
        let result = FingerprintResult.unavailable(.gone)
        #expect(gone.handle(.serviceGone) == .finish(result, stops: false, releases: false))
    }
}
