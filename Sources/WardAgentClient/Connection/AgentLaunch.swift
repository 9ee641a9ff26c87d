internal import CLinux
internal import Foundation

extension AgentClient {
    /// How an agent is started when none is there.
    public struct Launch: Sendable {
        /// The program, which is told to be the agent.
        public var program: String
        /// What it is told.
        public var arguments: [String]

        /// Names a program and its arguments.
        public init(program: String, arguments: [String]) {
            self.program = program
            self.arguments = arguments
        }
    }

    /// Starts a program, such as the agent, in a session of its own, so that it outlives the terminal, with nothing of this
    /// one open: a passphrase's descriptor least of all.
    ///
    /// - Parameters:
    ///   - launch: What to start.
    ///   - input: Its standard input; `/dev/null` without one.
    ///   - errors: Its standard error; `/dev/null` without one.
    /// - Returns: The process, which is a child of this one.
    /// - Throws: ``AgentError`` with `unreachable`.
    @discardableResult
    package static func start(
        _ launch: Launch,
        input: CInt? = nil,
        errors: CInt? = nil
    ) throws(AgentError) -> Int32 {
        let words = [launch.program] + launch.arguments
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let failure = unsafe ward_spawn_daemon(
            &pid,
            launch.program,
            &arguments,
            Foundation.environ,
            input ?? -1,
            errors ?? -1
        )
        guard failure == 0 else {
            throw AgentError(
                .unreachable,
                "Cannot start \(launch.program): \(unsafe String(cString: strerror(failure)))."
            )
        }
        return pid
    }
}

/// The two ends of a pipe, closed with the value.
package final class PipeEnds {
    /// What is written comes out here.
    package let reading: CInt
    /// What is written here comes out at the other end.
    package let writing: CInt
    private var isWritingOpen = true

    /// - Throws: ``AgentError`` with `failed` when this process has too many files open.
    package init() throws(AgentError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
            throw AgentError(.failed, "This process has too many files open. Try again.")
        }
        // Not among the first three, which a child gets anew.
        reading = fcntl(ends[0], F_DUPFD_CLOEXEC, 3)
        writing = fcntl(ends[1], F_DUPFD_CLOEXEC, 3)
        close(ends[0])
        close(ends[1])
    }

    /// Writes a few words, which fit into a pipe that is empty.
    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Foundation.write(writing, bytes, bytes.count)
    }

    /// Leaves the writing end to whoever else has it.
    package func closeWriting() {
        if isWritingOpen { close(writing) }
        isWritingOpen = false
    }

    deinit {
        closeWriting()
        close(reading)
    }
}
