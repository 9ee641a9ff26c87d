/// The state of one HTTP/1 connection, and the next action.
///
/// It needs no channel and no clock.
///
/// Requests can arrive while earlier ones are still being answered. Responses are sent in the order of the requests.
package struct ConnectionState {
    /// The current time limit.
    package enum Waiting: Equatable {
        /// No request is in progress. The next head must arrive.
        case forHead
        /// A head has arrived, but its body has not.
        case forBody
        /// The client must receive the response.
        case forAnswer
        /// The last response was sent. The connection stays open only so that the client can read it.
        case forClose
    }

    /// The parts of a request's head that the guard needs.
    package struct Head {
        /// Whether the request line and `Host` are valid.
        package var isWellFormed = true
        /// `Content-Length`, if there is one.
        package var declaredLength: Int?
        /// Whether the client waits for `100 Continue` before it sends the body.
        package var expectsContinue = false
        /// Whether the service can read the form of the body: as it is, or in chunks.
        package var isCodingSupported = true
        /// Whether the client expects the connection to be closed after the response: HTTP/1.0.
        package var isLast = false

        package init() {}
    }

    package enum HeadAction: Equatable { case pass, passAndContinue, refuse(Refusal), close, drop }
    package enum BodyAction: Equatable { case pass, drop, close }
    package enum AnswerHeadAction: Equatable { case pass, passAndAnnounceClose, drop }
    package enum AnswerEndAction: Equatable { case pass, passAndLinger, drop }
    package enum TimeoutAction: Equatable { case refuse(Refusal), close }

    /// The reason why the connection itself sends an error and closes.
    package enum Refusal: Equatable { case malformed, headTooLarge, timeout, codingNotSupported }

    private let bodyBytes: Int
    private var isReading = false
    private var isOverLimit = false
    private var isClosing = false
    /// Whether the last request of the connection has begun.
    ///
    /// Later requests are not read.
    private var hasLast = false
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
        guard !isClosing, !hasLast else { return .drop }
        guard head.isWellFormed else { return refusal(.malformed).map { .refuse($0) } ?? .close }
        guard head.isCodingSupported else { return refusal(.codingNotSupported).map { .refuse($0) } ?? .close }
        hasLast = head.isLast
        isReading = true
        received = 0
        isOverLimit = (head.declaredLength ?? 0) > bodyBytes
        unanswered += 1
        return head.expectsContinue && !isOverLimit && unanswered == 1 ? .passAndContinue : .pass
    }

    /// Body bytes beyond the limit are passed on until the handler notices that the body is too large.
    ///
    /// After that they are dropped.
    package mutating func bodyReceived(_ count: Int) -> BodyAction {
        guard !isClosing, isReading || !hasLast else { return .drop }
        guard received <= bodyBytes else { return .drop }
        received += count
        guard received > bodyBytes else { return .pass }
        isOverLimit = true
        // The request was answered before its body arrived. So there is no request that a refusal could answer.
        return unanswered == 0 ? .close : .pass
    }

    package mutating func endReceived() -> BodyAction {
        guard !isClosing, isReading || !hasLast else { return .drop }
        isReading = false
        return .pass
    }

    package mutating func answerHead() -> AnswerHeadAction {
        guard !isClosing else { return .drop }
        isAnswering = true
        return closesAfterResponse ? .passAndAnnounceClose : .pass
    }

    package mutating func answerEnd() -> AnswerEndAction {
        guard !isClosing else { return .drop }
        let closes = closesAfterResponse
        isAnswering = false
        unanswered -= 1
        isClosing = closes
        return closes ? .passAndLinger : .pass
    }

    /// The bytes are not HTTP, or the head is too large.
    ///
    /// - Returns: The action, or `nil` for bytes after the last request, which nobody reads.
    package mutating func parsingFailed(tooLarge: Bool) -> TimeoutAction? {
        if hasLast, !isReading, unanswered > 0 { return nil }
        return refusal(tooLarge ? .headTooLarge : .malformed).map { .refuse($0) } ?? .close
    }

    package mutating func timedOut() -> TimeoutAction {
        switch waiting {
        case .forHead, .forAnswer, .forClose: .close
        case .forBody: refusal(.timeout).map { .refuse($0) } ?? .close
        }
    }

    /// Whether the current response is the last one: its request's body was too large, or the client expects no other response.
    ///
    /// RFC 9110, section 15.5.14. A client that sent a whole body in vain is told so too: it need not wait for the idle limit.
    private var closesAfterResponse: Bool { unanswered == 1 && (isOverLimit || hasLast) }

    /// Refuses with a response, if the client can see which request the response belongs to.
    private mutating func refusal(_ reason: Refusal) -> Refusal? {
        guard !isClosing else { return nil }
        isClosing = true
        let isNext = unanswered == 0 || (unanswered == 1 && isReading)
        return isNext && !isAnswering ? reason : nil
    }
}
