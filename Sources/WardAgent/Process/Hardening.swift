internal import CLinux
internal import Foundation

/// What a process gives up that reads secrets, so that others of the same user cannot take what it holds.
public enum Hardening {
    /// Disables core dumps and ptrace, and makes new files private; before anything is read.
    ///
    /// With the second, `/proc/PID/mem` too is closed to the user's own programs (`prctl(2)`, `PR_SET_DUMPABLE`).
    public static func apply() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        emptyCoreDumps()
        hideMemory()
        umask(0o077)
    }

    /// Closes the process to other programs of its user.
    public static func hideMemory() { _ = ward_set_dumpable(0) }

    /// Lets other programs of the user see which executable this process runs, and with that trace it.
    ///
    /// The agent looks at the executable of a program that connects. ``hideMemory()`` comes as soon as it has.
    public static func showExecutable() { _ = ward_set_dumpable(1) }

    /// A dump that goes to a program (`core_pattern`) ignores the limit on its size: it gets no memory at all.
    private static func emptyCoreDumps() {
        let filter = unsafe open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        _ = unsafe write(filter, "0", 1)
        close(filter)
    }
}
