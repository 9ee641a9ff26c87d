#if canImport(CSandbox)
import CSandbox
import Glibc

/// Leaves no core dump, and closes the process's memory to other programs of its user.
func hideMemory() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    ward_hide_memory()
}
#else
/// Only Linux has what this needs.
func hideMemory() {}
#endif
