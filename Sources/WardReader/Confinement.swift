internal import CSandbox
internal import Glibc

/// Limits for a process before it reads a picture from a stranger.
package enum Confinement {
    /// Makes the process's memory unreadable for other programs of the same user.
    ///
    /// Call this function before the process reads a secret.
    package static func hideMemory() {
        bound(RLIMIT_CORE, 0)
        ward_hide_memory()
    }

    /// Limits memory, time and system calls of this process.
    ///
    /// Afterwards the process may compute, use 1 GiB of memory and 20 seconds of processor time, write to open files, and end.
    /// Opening a file fails. A socket, a new program or any other system call ends the process. If the kernel has no such
    /// filter, only memory and time are limited.
    package static func begin() {
        bound(RLIMIT_AS, 1 << 30)
        bound(RLIMIT_CPU, 20)
        bound(RLIMIT_CORE, 0)
        bound(RLIMIT_FSIZE, 0)
        _ = ward_confine()
    }

    private static func bound(_ resource: __rlimit_resource, _ most: rlim_t) {
        var limit = rlimit(rlim_cur: most, rlim_max: most)
        _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
}
