import HTTPTypes
import NIOCore
import NIOHTTP1

/// Closes connections that send too much or too slowly, and answers input that is not HTTP.
///
/// There is one guard per connection, between the HTTP decoder and the other handlers. ``ConnectionState`` decides; the
/// guard performs the actions.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ConnectionLimits
    private let shares: ConnectionShares
    private var share: ConnectionShares.ID?
    private var state: ConnectionState
    private var isStopping = false
    /// Whether no request has come yet.
    private var isNew = true
    /// Whether the deadline of the first request has passed while the service stops.
    private var isLate = false
    /// The deadline for the body of the current request.
    private var bodyDeadline = NIODeadline.distantFuture
    private var deadline = NIODeadline.distantFuture
    /// How slowly the client may read its answers; `nil` if nothing but the deadline limits that.
    private var pace: ReadingPace?
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?

    init(limits: ConnectionLimits, shares: ConnectionShares) {
        self.limits = limits
        self.shares = shares
        state = ConnectionState(bodyBytes: limits.bodyBytes)
        pace = limits.answerRate.map { ReadingPace(patience: limits.answerPatience, rate: $0) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        armDeadline(context)
        guard share == nil else { return }
        let bound = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
        share = shares.add(context.remoteAddress) {
            bound.eventLoop.execute { bound.value.guard.makeRoom(bound.value.context) }
        }
    }

    private func end() {
        timer?.task.cancel()
        timer = nil
        if let share { shares.remove(share) }
        share = nil
    }

    /// Closes the connection to make room for another one, unless a request has come in the meantime.
    private func makeRoom(_ context: ChannelHandlerContext) {
        if state.waiting != .forAnswer { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            if state.waiting == .forBody || isNew { armDeadline(context) }
            // The first request is on its way: the client would get an error for it, because it has never had an answer on this
            // connection.
            if isNew { return }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let action = state.headReceived(ConnectionState.Head(head))
            bodyDeadline = .now() + TimeAmount(limits.bodyDeadline)
            armDeadline(context)
            defer { if isNew { firstHeadPassed(context) } }
            switch action {
            case .pass: context.fireChannelRead(data)
            case .passAndContinue:
                context.fireChannelRead(data)
                let leave = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(leave)), promise: nil)
            case .refuse(let reason): refuse(context, reason)
            case .close: context.close(promise: nil)
            case .drop: break
            }
        case .body(let bytes):
            let action = state.bodyReceived(bytes.readableBytes)
            extendBody(bytes.readableBytes)
            if isStopping { armDeadline(context) }
            perform(action, context, data)
        case .end:
            let action = state.endReceived()
            if action == .pass { armDeadline(context) }
            perform(action, context, data)
        }
    }

    /// Gives a body that arrives more time.
    private func extendBody(_ count: Int) {
        guard let rate = limits.bodyRate, state.waiting == .forBody else { return }
        let later = bodyDeadline + .nanoseconds(Int64(count) * 1_000_000_000 / Int64(max(1, rate)))
        // Nobody gains time to be silent by sending fast before.
        bodyDeadline = max(bodyDeadline, min(later, .now() + TimeAmount(limits.bodyDeadline)))
        // The timer looks at it when it fires.
        if !isStopping { deadline = bodyDeadline }
    }

    /// The other handlers learn only now that the service stops.
    private func firstHeadPassed(_ context: ChannelHandlerContext) {
        isNew = false
        if isStopping { context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private func perform(_ action: ConnectionState.BodyAction, _ context: ChannelHandlerContext, _ data: NIOAny) {
        switch action {
        case .pass: context.fireChannelRead(data)
        case .drop: break
        case .close: context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        if let action = state.parsingFailed(tooLarge: error == .headerOverflow) { perform(action, context) }
    }

    // MARK: Out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            pace?.begin()
            switch state.answerHead() {
            case .pass: context.write(data, promise: promise)
            case .passAndAnnounceClose:
                head.headers.replaceOrAdd(name: "connection", value: "close")
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .drop: promise?.fail(ChannelError.ioOnClosedChannel)
            }
        case .body(let body):
            if state.waiting == .forClose {
                promise?.fail(ChannelError.ioOnClosedChannel)
            } else {
                writeBody(body, context, promise)
            }
        case .end:
            let action = state.answerEnd()
            armDeadline(context)
            switch action {
            case .pass: context.write(data, promise: promise)
            case .passAndLinger:
                context.writeAndFlush(data, promise: promise)
                context.close(mode: .output, promise: nil)
            case .drop: promise?.fail(ChannelError.ioOnClosedChannel)
            }
        }
    }

    /// The length of the pieces in which a body is written, so that it shows how fast the client takes them.
    private static let pieceLength = 64 * 1024

    private func writeBody(_ body: IOData, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard pace != nil, context.channel.isActive, case .byteBuffer(var rest) = body, rest.readableBytes > 0 else {
            return context.write(wrapOutboundOut(.body(body)), promise: promise)
        }
        while rest.readableBytes > Self.pieceLength, let piece = rest.readSlice(length: Self.pieceLength) {
            writePiece(piece, context, nil)
        }
        writePiece(rest, context, promise)
    }

    private func writePiece(
        _ piece: ByteBuffer,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let count = piece.readableBytes
        pace?.written(count, at: .now())
        arm(context)
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenComplete { _ in self.pace?.taken(count, at: .now()) }
        taken.futureResult.cascade(to: promise)
        context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: taken)
    }

    private func refuse(_ context: ChannelHandlerContext, _ reason: ConnectionState.Refusal) {
        let error = APIError(reason)
        let body = error.document
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: error.code.status.code),
            headers: [
                "content-type": APIError.mediaType, "content-length": "\(body.count)", "connection": "close",
                "cache-control": "no-store", "x-content-type-options": "nosniff",
            ]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        armDeadline(context)
    }

    // MARK: Time

    private func armDeadline(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        deadline =
            switch state.waiting {
            case .forHead: now + TimeAmount(isStopping ? limits.stoppingDeadline : limits.headDeadline)
            case .forBody: isStopping ? min(bodyDeadline, now + TimeAmount(limits.stoppingDeadline)) : bodyDeadline
            case .forAnswer: now + TimeAmount(limits.answerDeadline)
            case .forClose: now + TimeAmount(limits.lingering)
            }
        if let share { shares.set(share, state.waiting) }
        arm(context)
    }

    /// When something must be done, unless the other side does something before that.
    private var due: NIODeadline { min(deadline, pace?.deadline ?? .distantFuture) }

    private func arm(_ context: ChannelHandlerContext) {
        if let timer, timer.at <= due { return }
        schedule(context)
    }

    private func schedule(_ context: ChannelHandlerContext) {
        timer?.task.cancel()
        let bound = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
        let due = due
        timer = (context.eventLoop.scheduleTask(deadline: due) { bound.value.guard.tick(bound.value.context) }, due)
    }

    private func tick(_ context: ChannelHandlerContext) {
        timer = nil
        let now = NIODeadline.now()
        guard now >= due else { return schedule(context) }
        // Who does not read gets no refusal either.
        if let pace, pace.deadline <= now { return context.close(promise: nil) }
        if isStopping, isNew, !isLate {
            // On a busy machine the request may have come and not been read.
            isLate = true
            deadline = .now() + .milliseconds(250)
            return schedule(context)
        }
        perform(state.timedOut(), context)
    }

    private func perform(_ action: ConnectionState.TimeoutAction, _ context: ChannelHandlerContext) {
        switch action {
        case .refuse(let reason): refuse(context, reason)
        case .close: context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}

extension ConnectionState.Head {
    /// The parts of a decoded head that the guard needs.
    ///
    /// Only origin-form targets are served (RFC 9112, section 3.2).
    init(_ head: HTTPRequestHead) {
        self.init()
        let isHostClear = head.version == .http1_0 || head.headers["host"].count == 1
        isWellFormed = head.uri.utf8.first == UInt8(ascii: "/") && isHostClear
        declaredLength = head.headers.first(name: "content-length").flatMap { Int($0) ?? .max }
        isCodingSupported = head.headers["transfer-encoding"].allSatisfy {
            $0.trimmingSpace().lowercased() == "chunked"
        }
        isLast = head.version == .http1_0
        expectsContinue = head.headers.first(name: "expect")?.lowercased() == "100-continue"
    }
}

extension APIError {
    fileprivate init(_ refusal: ConnectionState.Refusal) {
        switch refusal {
        case .malformed: self.init(.malformedRequest, "This is no HTTP request.")
        case .headTooLarge: self.init(.headerTooLarge, "The request line and header fields take too much.")
        case .codingNotSupported: self.init(.codingNotSupported, "The body must come as it is, or in chunks.")
        case .timeout: self.init(.requestTimeout, "The request took too long to arrive.")
        }
    }
}
