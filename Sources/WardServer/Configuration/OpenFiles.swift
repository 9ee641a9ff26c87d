internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The number of files and sockets that this process may have open at the same time (`getrlimit(2)`, `RLIMIT_NOFILE`).
///
/// A process must never reach the limit: on Linux, Dispatch ends the process if it cannot open a file in `/proc`.
enum OpenFiles {
    /// Raises the limit as far as this user is allowed to, and returns it.
    static func raise() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(resource, &limit) == 0 else { return 256 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The files that the service needs besides its connections: for the database, and for some network threads per core.
    static var reserve: Int { 96 + 6 * ProcessInfo.processInfo.activeProcessorCount }

    /// The number of connections that are possible with a limit of files, up to a maximum.
    ///
    /// - Throws: `ServerStartError` if fewer than 32 fit.
    static func connections(_ most: Int, under limit: Int) throws(ServerStartError) -> Int {
        let room = limit - reserve
        guard room >= 32 else {
            throw ServerStartError(
                "this process may open \(limit) files and sockets. That is too few: allow at least \(reserve + 32) "
                    + "with ulimit -n, or with LimitNOFILE= in a systemd unit"
            )
        }
        return min(most, room)
    }
}
