internal import Foundation
package import NIOCore
internal import NIOPosix

/// A connection to the agent.
///
/// ```swift
/// let found = try await AgentClient.withConnection(to: paths, as: hello) { agent in
/// try await agent.call(ListItems(authorization: Authorization(), query: "example"))
/// }
/// ```
///
/// It handles one request at a time. Cancelling the task closes the connection, and the agent stops its work for it.
public struct AgentClient: Sendable {
    private let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    private let exchange: Exchange

    /// Connects, sends `hello`, and runs a body.
    ///
    /// - Parameters:
    ///   - paths: The paths of the agent's sockets.
    ///   - hello: The client's introduction.
    ///   - patience: Time limit for the agent's answer to `hello`.
    ///   - body: The work with the connection, which is closed afterwards.
    /// - Returns: The body's result.
    /// - Throws: ``AgentError`` with `unreachable` if no agent listens or none answers in time, `busy` if the agent
    ///   accepts no more connections, `in_use` if the agent serves another vault, `version_mismatch`, or the body's
    ///   errors.
    package static func withConnection<T: Sendable>(
        to paths: AgentPaths,
        as hello: Hello,
        patience: Duration = AgentClient.patience,
        _ body: @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        do {
            return try await once(paths, hello, patience, body)
        } catch is NobodyThere {
            throw AgentError(.unreachable, "No agent listens at \(paths.currentSocket). Start it: ward agent")
        }
    }

    /// Connects an app at the agent's socket for apps, sends `hello`, and runs a body.
    ///
    /// - Parameters:
    ///   - paths: The paths of the agent's sockets.
    ///   - hello: The app's introduction.
    ///   - patience: Time limit for the agent's answer to `hello`.
    ///   - body: The work with the connection, which is closed afterwards.
    /// - Returns: The body's result.
    /// - Throws: ``AgentError`` with `unreachable` if no agent listens or none answers in time, `busy` if the agent
    ///   accepts no more connections, `version_mismatch`, or the body's errors.
    public static func withAppConnection<T: Sendable>(
        to paths: AgentPaths,
        as hello: Hello,
        patience: Duration = AgentClient.patience,
        _ body: @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        do {
            return try await greeting(paths.appSocket, hello, patience) { client, _ in try await body(client) }
        } catch is NobodyThere {
            throw AgentError(.unreachable, "No agent listens at \(paths.appSocket). Start it: ward agent")
        }
    }

    /// The default time limit for the agent's answer to `hello`.
    public static let patience = Duration.seconds(20)

    /// No agent answered, so no request was sent.
    package struct NobodyThere: Error {
        package init() {}
    }

    /// - Throws: ``NobodyThere``, or the errors of `hello` and of the body.
    static func once<T: Sendable>(
        _ paths: AgentPaths,
        _ hello: Hello,
        _ patience: Duration,
        _ body: @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        let socket = paths.currentSocket
        return try await greeting(socket, hello, patience) { client, greeting in
            if let served = greeting.vault, !paths.accepts(served) {
                throw AgentError(
                    .inUse,
                    """
                    The agent at \(socket) (process \(greeting.pid)) serves another vault, \(served). End it, or set \
                    XDG_RUNTIME_DIR to another folder: kill \(greeting.pid)
                    """
                )
            }
            return try await body(client)
        }
    }

    private static func greeting<T: Sendable>(
        _ socket: String,
        _ hello: Hello,
        _ patience: Duration,
        _ body: @Sendable (AgentClient, Hello.Result) async throws -> T
    ) async throws -> T {
        try await withConnection(to: socket, maximumAnswerLength: Envelope.maximumAnswerLength) { client, _ in
            let answer: Hello.Result?
            do {
                answer = try await within(patience) { try await client.call(hello) }
            } catch let error as AgentError where error.code == .unreachable {
                throw NobodyThere()
            }
            guard let greeting = answer else {
                throw AgentError(
                    .unreachable,
                    "The agent at \(socket) does not answer. Try again; if that does not help, end it: ward agent --stop"
                )
            }
            return try await body(client, greeting)
        }
    }

    /// Connects to a socket with this message format and runs a closure.
    ///
    /// The closure decides which side sends first.
    ///
    /// - Parameters:
    ///   - socket: The socket's path.
    ///   - maximumAnswerLength: The maximum length of an answer, in bytes.
    ///   - body: The work with the connection, which is closed afterwards; the channel identifies the other process.
    /// - Returns: The body's result.
    /// - Throws: ``NobodyThere``, or the body's errors.
    package static func withConnection<T: Sendable>(
        to socket: String,
        maximumAnswerLength: Int,
        _ body: @Sendable (AgentClient, any Channel) async throws -> T
    ) async throws -> T {
        let connection = try await connect(socket, maximumAnswerLength)
        return try await connection.executeThenClose { inbound, outbound in
            let exchange = Exchange(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(AgentClient(connection: connection, exchange: exchange), connection.channel)
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Throws: ``AgentError``: the agent's error, or `unreachable` if the connection ended.
    public func call<Method: AgentMethod>(_ method: Method) async throws -> Method.Result {
        try await exchange.call(method)
    }

    private static func connect(
        _ socket: String,
        _ maximumAnswerLength: Int
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        // While the agent is busy, its queue of connections can be full for a moment.
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            do {
                return try await connectOnce(socket, maximumAnswerLength)
            } catch let error as IOError where error.errnoCode == EAGAIN && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                throw NobodyThere()
            }
        }
    }

    private static func connectOnce(
        _ socket: String,
        _ maximumAnswerLength: Int
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: socket) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let frames = LineFrames(maximumLength: maximumAnswerLength)
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(frames))
                    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                }
            }
    }
}

/// Sends requests and reads their answers, one at a time.
private actor Exchange {
    private let inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var number = 0

    init(
        inbound: sending NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    func call<Method: AgentMethod>(_ method: Method) async throws -> Method.Result {
        number += 1
        let id = number
        var request = try Envelope.encode(Envelope.Request(id: id, method: Method.name, params: method))
        guard request.count < Envelope.maximumLength else {
            throw AgentError(.init(rawValue: "item_too_large"), "The item is too large: an item has at most 1 MiB")
        }
        request.append(0x0a)
        // An agent that closed the connection may have sent the reason before. The reason is read below.
        try? await outbound.write(ByteBuffer(bytes: request))
        var inbound = inbound
        let next: ByteBuffer?
        do { next = try await inbound.next(isolation: self) } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw gone
        }
        guard let line = next else { throw gone }
        let outcome: Envelope.Outcome<Method.Result>
        do {
            outcome = try Envelope.outcome(Method.Result.self, from: Array(line.readableBytesView))
        } catch {
            throw AgentError(.versionMismatch, "the agent's answer is malformed. Restart the agent: ward agent --stop")
        }
        if let error = outcome.error {
            throw AgentError(AgentError.Code(rawValue: error.data?.code ?? "failed"), error.message)
        }
        guard outcome.id == id, let result = outcome.result else {
            throw AgentError(
                .versionMismatch,
                "the agent's answer does not match the request. Restart the agent: ward agent --stop"
            )
        }
        return result
    }

    private var gone: AgentError { AgentError(.unreachable, "The agent ended during the request. Try again.") }
}
