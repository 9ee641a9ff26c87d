internal import CSandbox
internal import Glibc

/// What a process that looks at a stranger's picture gives up before it does.
package enum Confinement {
    /// Closes the process's memory to other programs of its user.
    ///
    /// Call it before a secret is read.
    package static func hideMemory() {
        bound(RLIMIT_CORE, 0)
        ward_hide_memory()
    }

    /// Bounds memory and time, and closes the kernel to this process.
    ///
    /// Afterwards it may compute, take up to 1 GiB of memory, use 20 seconds of processor time, write to what is open, and end.
    /// A file that it opens is refused; a socket, a program and everything else kill it. Where the kernel has no such filter,
    /// the bounds are all.
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
