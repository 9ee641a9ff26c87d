import CLinux
import Foundation
import Glibc

/// A program that runs in the foreground.
///
/// `ward` waits until it ends.
final class Foreground {
    /// The process.
    let pid: pid_t

    /// The umask with which `ward` was started.
    ///
    /// A program that `ward` runs gets it back.
    nonisolated(unsafe) private static var umask: mode_t = 0o022

    /// Records the umask, before `ward` sets its own.
    static func rememberUmask() {
        unsafe umask = Glibc.umask(0o077)
    }

    /// Starts a program that gets the terminal of this one.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Its arguments, without its name.
    ///   - environment: Its environment; `nil` for the one of this process.
    ///   - output: Its standard output; `nil` for the one of this process.
    ///   - error: Its standard error; `nil` for the one of this process.
    ///   - ignored: The signals that this process ignores from now on, because the program gets them too.
    /// - Throws: ``Failure`` when it cannot be started.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        output: CInt? = nil,
        error: CInt? = nil,
        ignoring ignored: [CInt] = Foreground.held
    ) throws(Failure) {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if let output { unsafe posix_spawn_file_actions_adddup2(&actions, output, 1) }
        if let error { unsafe posix_spawn_file_actions_adddup2(&actions, error, 2) }
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in Self.held.filter({ !Self.isIgnored($0) }) + [SIGPIPE] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        // Swift's threads block signals, and a program would inherit that. So the signals are unblocked for it.
        var unblocked = sigset_t()
        unsafe sigemptyset(&unblocked)
        unsafe posix_spawnattr_setsigmask(&attributes, &unblocked)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        let settings = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe settings.forEach { unsafe $0.map { unsafe explicit_bzero($0, unsafe strlen($0)) } }
            unsafe settings.forEach { unsafe free($0) }
        }
        // The program handles keys such as Ctrl-C itself.
        for signal in ignored { _ = Glibc.signal(signal, SIG_IGN) }
        let own = unsafe Glibc.umask(Self.umask)
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, program, &actions, &attributes, words, settings)
        _ = Glibc.umask(own)
        self.pid = pid
        guard result == 0 else {
            throw Failure(.unavailable, "\(program) cannot be started: \(unsafe String(cString: strerror(result)))")
        }
    }

    private static let held = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

    /// Whether this process was told to ignore a signal, as by `nohup`; then a program that it starts ignores the signal too.
    static func isIgnored(_ signal: CInt) -> Bool {
        var now = sigaction()
        unsafe sigaction(signal, nil, &now)
        return unsafe unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The exit status if the program has ended.
    ///
    /// For a signal it is 128 plus the signal's number.
    func status(waiting: Bool) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(pid, &status, waiting ? 0 : WNOHANG)
            if ended < 0, errno == EINTR { continue }
            guard ended == pid else { return nil }
            return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        }
    }

    /// Becomes a program.
    ///
    /// - Throws: ``Failure`` when it cannot be started; otherwise this does not return.
    static func become(_ program: String, _ arguments: [String], environment: [String: String]) throws(Failure) {
        for descriptor in CInt(3)..<1024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = signal(SIGPIPE, SIG_DFL)
        _ = unsafe Glibc.umask(umask)
        var unblocked = sigset_t()
        unsafe sigemptyset(&unblocked)
        unsafe pthread_sigmask(SIG_SETMASK, &unblocked, nil)
        let words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let settings = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        unsafe execve(program, words, settings)
        throw Failure(.unavailable, "\(program) cannot be started: \(unsafe String(cString: strerror(errno)))")
    }

    /// Runs a program and waits for its end.
    ///
    /// - Returns: Its exit status.
    static func run(_ program: String, _ arguments: [String]) throws(Failure) -> Int32 {
        let status = try Foreground(program, arguments).status(waiting: true) ?? 1
        for signal in held { _ = Glibc.signal(signal, SIG_DFL) }
        return status
    }
}
