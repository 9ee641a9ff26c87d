internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import WardAgentClient

/// An agent that says what a test tells it to, over a real socket.
package final class FakeAgent: Sendable {
    /// What it does with a request.
    package enum Answer: Sendable {
        /// A line.
        case line([UInt8])
        /// A refusal.
        case refusal(AgentError)
        /// The connection ends.
        case gone
        /// Half a line, and then the connection ends.
        case half

        package static func result(_ value: some Encodable & Sendable) -> Answer {
            // The number is put in when it is sent: requests of one connection are counted from 1.
            .line((try? Envelope.encode(Envelope.Answer(id: .number(0), result: value))) ?? [])
        }
    }

    /// A request.
    package struct Call: Sendable {
        package let method: String
        package let line: [UInt8]

        package func parameters<Method: AgentMethod>(_ type: Method.Type) throws -> Method {
            try Envelope.decode(Envelope.Parameters<Method>.self, from: line).params
        }
    }

    package typealias Script = @Sendable (Call) async throws -> Answer

    package let paths: AgentPaths
    private let script: Script
    private let channels = Mutex<[any Channel]>([])
    private let heard = Mutex<[Call]>([])
    private let open = Mutex(0)

    /// What it was asked, greetings left out.
    package var calls: [Call] { heard.withLock { $0.filter { $0.method != Hello.name } } }
    /// What it was asked to authorize.
    package var questions: [AuthorizeApp] { calls.compactMap { try? $0.parameters(AuthorizeApp.self) } }
    /// How many requests are being worked on.
    package var openQuestions: Int { open.withLock { $0 } }

    /// - Parameter script: What it does; greetings included.
    package init(_ script: @escaping Script) {
        self.script = script
        paths = AgentPaths(directory: NSTemporaryDirectory() + "as-\(UUID().uuidString.prefix(8))")
    }

    /// Listens.
    package func start() async throws {
        try FileManager.default.createDirectory(atPath: paths.appDirectory, withIntermediateDirectories: true)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    self.channels.withLock { $0.append(channel) }
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineFrames()))
                    try channel.pipeline.syncOperations.addHandler(Conversation(self))
                }
            }
            .bind(unixDomainSocketPath: paths.appSocket, cleanupExistingSocketFile: true).get()
        channels.withLock { $0.append(listener) }
    }

    /// Ends, and with it every connection: what a kill does.
    package func die() async {
        while true {
            let channels = channels.withLock { channels in
                defer { channels = [] }
                return channels
            }
            guard !channels.isEmpty else { break }
            // The listener comes first, so that nobody comes in afterwards.
            for channel in channels { try? await channel.close() }
        }
        try? FileManager.default.removeItem(atPath: paths.appDirectory)
    }

    /// What goes back for a line, and whether the connection stays.
    fileprivate func answer(_ line: [UInt8], _ id: Int) async throws -> (bytes: [UInt8], stays: Bool) {
        let head = try Envelope.decode(Envelope.Head.self, from: line)
        let call = Call(method: head.method, line: line)
        heard.withLock { $0.append(call) }
        open.withLock { $0 += 1 }
        defer { open.withLock { $0 -= 1 } }
        switch try await script(call) {
        case .gone: return ([], false)
        case .half: return (Array("{\"jsonrpc\":".utf8), false)
        case .refusal(let error): return (try Envelope.encode(Envelope.Refusal(id: .number(id), error)) + [0x0a], true)
        case .line(let line):
            let text = String(decoding: line, as: UTF8.self).replacing("\"id\":0,", with: "\"id\":\(id),")
            return (Array(text.utf8) + [0x0a], true)
        }
    }
}

/// One connection; what is being worked on for it ends with it.
private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let agent: FakeAgent
    private var count = 0
    private var work: [Task<Void, Never>] = []

    init(_ agent: FakeAgent) { self.agent = agent }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += 1
        let line = Array(unwrapInboundIn(data).readableBytesView)
        work.append(
            Task { [agent, count, channel = context.channel] in
                let answer = try? await agent.answer(line, count)
                try? await channel.writeAndFlush(ByteBuffer(bytes: answer?.bytes ?? []))
                if answer?.stays != true { try? await channel.close() }
            }
        )
    }

    func channelInactive(context: ChannelHandlerContext) {
        for task in work { task.cancel() }
        context.fireChannelInactive()
    }
}

extension FakeAgent.Answer {
    /// The greeting.
    package static var welcome: Self { .result(Hello.Result(version: 1, pid: 1)) }
}
