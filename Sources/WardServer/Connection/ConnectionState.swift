/// Where one HTTP/1 connection stands, and what it may do next; it touches no channel and knows no clock.
///
/// Requests may come in while earlier ones are still being answered; answers go out in their order.
package struct ConnectionState {
    /// Which time limit counts.
    package enum Waiting: Equatable {
        /// Nothing is in work; the next head has to come.
        case forHead
        /// A head is there, its body is not.
        case forBody
        /// The client has to take its answer.
        case forAnswer
        /// The last word is said; the connection is only kept so that it is read.
        case forClose
    }

    /// What a request's head asks for.
    package struct Head {
        /// Whether the request line and `Host` make sense.
        package var isWellFormed = true
        /// `Content-Length`, if there is one.
        package var declaredLength: Int?
        /// Whether the client waits for leave to send the body.
        package var expectsContinue = false

        package init() {}
    }

    package enum HeadAction: Equatable { case pass, passAndContinue, refuse(Refusal), close, drop }
    package enum BodyAction: Equatable { case pass, drop, close }
    package enum AnswerHeadAction: Equatable { case pass, passAndAnnounceClose, drop }
    package enum AnswerEndAction: Equatable { case pass, passAndLinger, drop }
    package enum TimeoutAction: Equatable { case refuse(Refusal), close }

    /// Why the connection answers by itself and ends.
    package enum Refusal: Equatable { case malformed, headTooLarge, timeout }

    private let bodyBytes: Int
    private var isReading = false
    private var isOverLimit = false
    private var isClosing = false
    private var received = 0
    private var unanswered = 0
    private var isAnswering = false

    package init(bodyBytes: Int) {
        self.bodyBytes = bodyBytes
    }

    package var waiting: Waiting {
        if isClosing { return .forClose }
        if isReading { return .forBody }
        return unanswered > 0 ? .forAnswer : .forHead
    }

    package mutating func headReceived(_ head: Head) -> HeadAction {
        guard !isClosing else { return .drop }
        guard head.isWellFormed else { return refusal(.malformed).map { .refuse($0) } ?? .close }
        isReading = true
        received = 0
        isOverLimit = (head.declaredLength ?? 0) > bodyBytes
        unanswered += 1
        return head.expectsContinue && !isOverLimit && unanswered == 1 ? .passAndContinue : .pass
    }

    /// Body bytes beyond the limit are passed on until the handler can see that there are too many, then dropped.
    package mutating func bodyReceived(_ count: Int) -> BodyAction {
        guard !isClosing else { return .drop }
        guard received <= bodyBytes else { return .drop }
        received += count
        guard received > bodyBytes else { return .pass }
        isOverLimit = true
        // Answered before the body was there: nobody is left to refuse it.
        return unanswered == 0 ? .close : .pass
    }

    package mutating func endReceived() -> BodyAction {
        guard !isClosing else { return .drop }
        isReading = false
        return .pass
    }

    package mutating func answerHead() -> AnswerHeadAction {
        guard !isClosing else { return .drop }
        isAnswering = true
        return abandonsBody ? .passAndAnnounceClose : .pass
    }

    package mutating func answerEnd() -> AnswerEndAction {
        guard !isClosing else { return .drop }
        let abandons = abandonsBody
        isAnswering = false
        unanswered -= 1
        isClosing = abandons
        return abandons ? .passAndLinger : .pass
    }

    /// The bytes are no HTTP, or too many for a head.
    package mutating func parsingFailed(tooLarge: Bool) -> TimeoutAction {
        refusal(tooLarge ? .headTooLarge : .malformed).map { .refuse($0) } ?? .close
    }

    package mutating func timedOut() -> TimeoutAction {
        switch waiting {
        case .forHead, .forAnswer, .forClose: .close
        case .forBody: refusal(.timeout).map { .refuse($0) } ?? .close
        }
    }

    /// Whether the answer being written ends a request whose body is not wanted any more.
    private var abandonsBody: Bool { isReading && isOverLimit && unanswered == 1 }

    /// Refuses with an answer where that answer can only belong to the request it is meant for.
    private mutating func refusal(_ reason: Refusal) -> Refusal? {
        guard !isClosing else { return nil }
        isClosing = true
        let isNext = unanswered == 0 || (unanswered == 1 && isReading)
        return isNext && !isAnswering ? reason : nil
    }
}
