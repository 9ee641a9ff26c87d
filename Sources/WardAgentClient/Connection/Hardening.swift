internal import CLinux
internal import Foundation

/// Protects a process that reads secrets.
///
/// Other programs of the same user cannot read its memory.
package enum Hardening {
    /// Disables core dumps and ptrace, and sets umask 077.
    ///
    /// Call this function before the process reads any data.
    ///
    /// Without ptrace, `/proc/PID/mem` is closed to the user's own programs too (`prctl(2)`, `PR_SET_DUMPABLE`).
    package static func apply() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        emptyCoreDumps()
        hideMemory()
        umask(0o077)
    }

    /// Makes the process's memory unreadable for other programs of the same user.
    package static func hideMemory() { _ = ward_set_dumpable(0) }

    /// Lets other programs of the same user see this process's executable.
    ///
    /// They could then also trace the process.
    ///
    /// The agent checks the executable of a program that connects. Right after that, the program calls ``hideMemory()``.
    package static func showExecutable() { _ = ward_set_dumpable(1) }

    /// A core dump to a program (`core_pattern`) ignores the size limit, so it gets no memory at all.
    private static func emptyCoreDumps() {
        let filter = unsafe open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        _ = unsafe write(filter, "0", 1)
        close(filter)
    }
}
