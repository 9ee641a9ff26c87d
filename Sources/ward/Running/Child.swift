import CLinux
import Foundation
import Glibc

/// A child process with a pipe for its input and a pipe for its output.
///
/// No other open file is passed to it.
///
/// Foundation's `Process` waits until all copies of its own socket are closed. A program that continues in the background has
/// such a copy.
final class Child {
    private let process: pid_t
    private var input: Int32
    private var output: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Its arguments, without its name.
    ///   - error: What its standard error is; `nil` for nowhere.
    ///   - leads: Whether it gets a session of its own, and so outlives the terminal.
    ///   - showsOutput: Whether its output is read here; else it goes nowhere.
    /// - Throws: ``Failure`` when it cannot be started.
    init(
        _ program: String,
        _ arguments: [String],
        error: Int32? = nil,
        leads: Bool = false,
        showsOutput: Bool = true
    ) throws {
        // If the program has ended, writing to its pipe returns an error. It does not end this process.
        _ = signal(SIGPIPE, SIG_IGN)
        let (theirInput, input) = try Self.pipe()
        let (output, theirOutput) = try Self.pipe()
        defer {
            close(theirInput)
            close(theirOutput)
        }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if leads { unsafe posix_spawnattr_setflags(&attributes, Int16(WARD_SPAWN_SETSID)) }
        unsafe posix_spawn_file_actions_adddup2(&actions, theirInput, 0)
        if showsOutput {
            unsafe posix_spawn_file_actions_adddup2(&actions, theirOutput, 1)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        if let error {
            unsafe posix_spawn_file_actions_adddup2(&actions, error, 2)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        let words = unsafe ([program] + arguments).map { unsafe strdup($0) }
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let result = unsafe posix_spawn(&process, program, &actions, &attributes, words + [nil], environ)
        self.process = process
        self.input = input
        self.output = output
        guard result == 0 else {
            throw Failure(.unavailable, "\(program) cannot be started: \(unsafe String(cString: strerror(result)))")
        }
    }

    deinit {
        if input >= 0 { close(input) }
        if output >= 0 { close(output) }
    }

    /// Writes all of the input, and closes the pipe.
    ///
    /// - Returns: Whether the program took it.
    func write(_ bytes: [UInt8]) -> Bool {
        defer {
            close(input)
            input = -1
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads the output to its end.
    ///
    /// - Returns: The output; `nil` when it has more bytes than `limit`, or does not end in time.
    func read(limit: Int, seconds: Int) -> [UInt8]? {
        let end = ContinuousClock.now + .seconds(seconds)
        var bytes: [UInt8] = []
        while bytes.count <= limit, ContinuousClock.now < end {
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&waiting, 1, 100) > 0 else { continue }
            var piece = [UInt8](repeating: 0, count: 16_384)
            let count = unsafe Foundation.read(output, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += piece.prefix(count)
        }
        return nil
    }

    /// Waits until the program ends.
    ///
    /// It does not wait for processes that the program started.
    ///
    /// - Returns: Whether it ended well; a program that does not end in time is killed.
    func succeeds(seconds: Int) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < end else {
                kill()
                return false
            }
            usleep(5_000)
        }
        return status == 0
    }

    /// Waits a moment for a program that continues by itself.
    ///
    /// - Returns: Whether it ended with an error in this time.
    func fails(within seconds: Int) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while ContinuousClock.now < end {
            if unsafe waitpid(process, &status, WNOHANG) != 0 { return status != 0 }
            usleep(20_000)
        }
        return false
    }

    /// Ends the program.
    func kill() {
        Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }

    private static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw Failure(.unavailable, "Too many files are open")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
