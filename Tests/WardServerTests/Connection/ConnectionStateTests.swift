import Testing
import WardServer

@Suite struct `What a connection may do next` {
    private var state = ConnectionState(bodyBytes: 100)

    private func head(length: Int? = nil, expectsContinue: Bool = false, isWellFormed: Bool = true)
        -> ConnectionState.Head
    {
        var head = ConnectionState.Head()
        (head.declaredLength, head.expectsContinue, head.isWellFormed) = (length, expectsContinue, isWellFormed)
        return head
    }

    @Test mutating func `one request after the other`() {
        for _ in 0..<3 {
            #expect(state.waiting == .forHead)
            #expect(state.headReceived(head(length: 100)) == .pass)
            #expect(state.waiting == .forBody)
            #expect(state.bodyReceived(60) == .pass)
            #expect(state.bodyReceived(40) == .pass)
            #expect(state.endReceived() == .pass)
            #expect(state.waiting == .forAnswer)
            #expect(state.answerHead() == .pass)
            #expect(state.answerEnd() == .pass)
        }
        #expect(state.waiting == .forHead)
    }

    @Test mutating func `a request of HTTP 1.0 is the last one, and its answer says so`() {
        var last = head()
        last.isLast = true
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.headReceived(last) == .pass)
        #expect(state.bodyReceived(1) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.headReceived(head()) == .drop)
        #expect(state.bodyReceived(1) == .drop)
        #expect(state.endReceived() == .drop)
        #expect(state.parsingFailed(tooLarge: false) == nil)
        #expect(state.answerHead() == .pass)
        #expect(state.answerEnd() == .pass)
        #expect(state.answerHead() == .passAndAnnounceClose)
        #expect(state.answerEnd() == .passAndLinger)
        #expect(state.waiting == .forClose)
    }

    @Test mutating func `a coding that nobody reads here is refused before the body`() {
        var coded = head()
        coded.isCodingSupported = false
        #expect(state.headReceived(coded) == .refuse(.codingNotSupported))
        #expect(state.bodyReceived(1) == .drop)
        #expect(state.waiting == .forClose)
    }

    @Test mutating func `requests that come before earlier ones are answered`() {
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        for remaining in [ConnectionState.Waiting.forAnswer, .forHead] {
            #expect(state.answerHead() == .pass)
            #expect(state.answerEnd() == .pass)
            #expect(state.waiting == remaining)
        }
    }

    @Test mutating func `a declared length beyond the limit is answered and then given up`() {
        #expect(state.headReceived(head(length: 101)) == .pass)
        #expect(state.answerHead() == .passAndAnnounceClose)
        #expect(state.answerEnd() == .passAndLinger)
        #expect(state.waiting == .forClose)
        #expect(state.bodyReceived(101) == .drop)
        #expect(state.endReceived() == .drop)
        #expect(state.headReceived(head()) == .drop)
        #expect(state.answerHead() == .drop)
        #expect(state.timedOut() == .close)
    }

    @Test mutating func `a body beyond the limit that came whole is answered, and the connection ends`() {
        #expect(state.headReceived(head(length: 1_000)) == .pass)
        #expect(state.bodyReceived(100) == .pass)
        #expect(state.bodyReceived(900) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.answerHead() == .passAndAnnounceClose)
        #expect(state.answerEnd() == .passAndLinger)
        #expect(state.waiting == .forClose)
    }

    @Test mutating func `a body beyond the limit ends no connection on which a later request came`() {
        #expect(state.headReceived(head(length: 101)) == .pass)
        #expect(state.bodyReceived(101) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        for _ in 0..<2 {
            #expect(state.answerHead() == .pass)
            #expect(state.answerEnd() == .pass)
        }
        #expect(state.waiting == .forHead)
    }

    @Test mutating func `a length that shows only as it comes is passed on once more, so that it can be refused`() {
        #expect(state.headReceived(head()) == .pass)
        #expect(state.bodyReceived(100) == .pass)
        #expect(state.bodyReceived(1) == .pass)
        #expect(state.bodyReceived(1_000) == .drop)
        #expect(state.answerHead() == .passAndAnnounceClose)
        #expect(state.answerEnd() == .passAndLinger)
    }

    @Test mutating func `a body beyond the limit after the answer ends the connection`() {
        #expect(state.headReceived(head()) == .pass)
        #expect(state.answerHead() == .pass)
        #expect(state.answerEnd() == .pass)
        #expect(state.waiting == .forBody)
        #expect(state.bodyReceived(100) == .pass)
        #expect(state.bodyReceived(1) == .close)
    }

    @Test mutating func `leave to send is given for a body that fits, to the request whose turn it is`() {
        #expect(state.headReceived(head(length: 101, expectsContinue: true)) == .pass)
        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head(length: 100, expectsContinue: true)) == .passAndContinue)
        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.headReceived(head(length: 100, expectsContinue: true)) == .pass)
    }

    @Test mutating func `what is no HTTP is refused, and only closed where the refusal would answer something else`() {
        #expect(state.parsingFailed(tooLarge: true) == .refuse(.headTooLarge))
        #expect(state.parsingFailed(tooLarge: true) == .close, "once is enough")

        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.parsingFailed(tooLarge: false) == .refuse(.malformed), "of this request's body")

        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.parsingFailed(tooLarge: false) == .close, "another is still being answered")

        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.answerHead() == .pass)
        #expect(state.parsingFailed(tooLarge: false) == .close, "its answer has begun")

        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head(isWellFormed: false)) == .refuse(.malformed))
        #expect(state.waiting == .forClose)
    }

    @Test mutating func `time is up: silence is closed, half a request is told`() {
        #expect(state.timedOut() == .close)
        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.timedOut() == .refuse(.timeout))
        state = ConnectionState(bodyBytes: 100)
        #expect(state.headReceived(head()) == .pass)
        #expect(state.endReceived() == .pass)
        #expect(state.timedOut() == .close)
    }
}
