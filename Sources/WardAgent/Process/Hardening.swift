internal import CLinux
internal import Foundation

/// What the agent's process gives up, so that others of the same user cannot take what it holds.
public enum Hardening {
    /// No core dumps, no debugger without root's rights, files for their owner alone, and no death by a closed pipe.
    ///
    /// With the first two `/proc/PID/mem` and `ptrace` are closed to the user's own programs (`prctl(2)`,
    /// `PR_SET_DUMPABLE`).
    public static func apply() {
        _ = ward_forbid_dumps()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        umask(0o077)
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
