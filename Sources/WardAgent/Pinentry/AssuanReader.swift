internal import Foundation
internal import WardAgentClient

/// Reads replies from a program's output.
struct AssuanReader {
    private let handle: FileHandle
    private let program: String
    private var pending: [UInt8] = []
    private var parser = AssuanParser()
    private let now: @Sendable () -> ContinuousClock.Instant

    init(_ handle: FileHandle, _ program: String, _ now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        self.handle = handle
        self.program = program
    }

    static var ended: AgentError { AgentError(.promptFailed, "pinentry ended before you could answer: try again") }

    /// The next reply.
    ///
    /// The wait has a time limit.
    mutating func reply(within limit: Duration) throws(AgentError) -> AssuanReply {
        let (now, program) = (now, program)
        let deadline = now() + limit
        return try reply { () throws(AgentError) in
            guard now() < deadline else { throw Self.silence(program, limit) }
            return true
        }
    }

    /// The next reply.
    ///
    /// The wait ends when a condition is no longer true; it is checked several times a second.
    mutating func reply(while holds: () throws(AgentError) -> Bool) throws(AgentError) -> AssuanReply {
        while true {
            while let end = pending.firstIndex(of: 0x0a) {
                let line = Array(pending[..<end])
                pending.removeFirst(end + 1)
                if let reply = try parser.take(line) { return reply }
            }
            guard pending.count <= 4 * AssuanText.maximumLength else {
                throw AgentError(.promptFailed, "pinentry answered with something that cannot be read")
            }
            var event = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&event, 1, 200) != 0 else {
                guard try holds() else { throw Self.ended }
                continue
            }
            // FileHandle would wait for all requested bytes, or trap, so `read` is called directly.
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = unsafe read(handle.fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.ended }
            pending += buffer.prefix(count)
        }
    }

    private static func silence(_ program: String, _ limit: Duration) -> AgentError {
        AgentError(
            .promptFailed,
            "\(program.pathForPrompt) sent no answer for \(limit.components.seconds) seconds and was ended: "
                + "choose another pinentry with WARD_PINENTRY, or use --passphrase-fd"
        )
    }
}
