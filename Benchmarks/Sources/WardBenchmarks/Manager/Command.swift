import Foundation

/// A program that is started and waited for, with nothing between it and the clock.
struct Command {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    var words: [String]
    var environment: [String: String]
    /// What it reads from its standard input.
    var input = ""

    /// Runs it to its end.
    ///
    /// - Parameter output: Where its standard output goes.
    /// - Throws: ``Failed`` when it cannot be started or does not succeed.
    func run(output: String = "/dev/null") throws {
        let process = try start(output: output)
        guard try Self.wait(for: process) else {
            throw Failed(description: "\(words.joined(separator: " ")) failed")
        }
    }

    /// Starts it and leaves it running.
    ///
    /// - Parameters:
    ///   - output: Where its standard output goes.
    ///   - isComplete: Whether its errors go there too.
    /// - Returns: The process.
    /// - Throws: ``Failed`` when it cannot be started.
    func start(output: String = "/dev/null", isComplete: Bool = false) throws -> pid_t {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failed(description: "no pipe") }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A passphrase and a line feed fit into any pipe, so nobody waits.
        let bytes = Array(input.utf8)
        let written = write(ends[1], bytes, bytes.count)
        close(ends[1])
        guard written == bytes.count else { throw Failed(description: "the pipe takes nothing") }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if isComplete { posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, words[0], &actions, nil, &arguments, &variables) == 0 else {
            throw Failed(description: "\(words[0]) cannot be started")
        }
        return process
    }

    /// Waits for a process.
    ///
    /// - Returns: Whether it ended well.
    static func wait(for process: pid_t) throws -> Bool {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Failed(description: "a process is gone") }
        }
        return status == 0
    }
}
