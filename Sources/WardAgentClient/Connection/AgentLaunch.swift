internal import CLinux
internal import Foundation

extension AgentClient {
    /// The command that starts an agent if none is running.
    package struct Launch: Sendable {
        /// The program that becomes the agent.
        package var program: String
        package var arguments: [String]

        /// Creates a launch command.
        package init(program: String, arguments: [String]) {
            self.program = program
            self.arguments = arguments
        }
    }

    /// Starts a program, such as the agent, in its own session, so that it outlives the terminal.
    ///
    /// The started program gets none of this process's open files, so it does not get a passphrase's descriptor.
    ///
    /// - Parameters:
    ///   - launch: The command.
    ///   - input: Its standard input; `/dev/null` by default.
    ///   - errors: Its standard error; `/dev/null` by default.
    /// - Returns: The process, a child of this one.
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

/// Both ends of a pipe.
///
/// They are closed when this value is released.
package final class PipeEnds {
    /// The end to read from.
    package let reading: CInt
    /// The end to write to.
    package let writing: CInt
    private var isWritingOpen = true

    /// - Throws: ``AgentError`` with `failed` if this process has too many open files.
    package init() throws(AgentError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
            throw AgentError(.failed, "This process has too many files open. Try again.")
        }
        // The descriptor must not be one of the first three, which a child process replaces.
        reading = fcntl(ends[0], F_DUPFD_CLOEXEC, 3)
        writing = fcntl(ends[1], F_DUPFD_CLOEXEC, 3)
        close(ends[0])
        close(ends[1])
    }

    /// Writes a short text, which fits in an empty pipe.
    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Foundation.write(writing, bytes, bytes.count)
    }

    /// Closes this process's writing end.
    package func closeWriting() {
        if isWritingOpen { close(writing) }
        isWritingOpen = false
    }

    deinit {
        closeWriting()
        close(reading)
    }
}
