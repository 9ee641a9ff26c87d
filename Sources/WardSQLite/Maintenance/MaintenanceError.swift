import Foundation

/// The reason why a database was not checked, copied, restored or migrated.
package struct MaintenanceError: Error, Sendable, CustomStringConvertible {
    /// One sentence for the administrator: what is wrong, then what to do next.
    package let description: String

    init(_ description: String) { self.description = description }

    /// The error for a system call that failed.
    init(_ action: String, errno reason: CInt) {
        let words = unsafe String(cString: strerror(reason))
        description = "\(action): \(words)"
    }

    static func inUse(_ path: String) -> MaintenanceError {
        MaintenanceError("\(path) is in use: stop the service, and close every other program that has it open")
    }
}
