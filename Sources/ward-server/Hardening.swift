#if canImport(CSandbox)
import CSandbox
import Glibc

/// Disables core dumps, and makes the process's memory unreadable for other programs of the same user.
func hideMemory() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    ward_hide_memory()
}
#else
/// Only Linux has the necessary system call.
func hideMemory() {}
#endif
