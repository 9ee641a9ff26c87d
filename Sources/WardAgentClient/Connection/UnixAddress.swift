internal import Foundation

/// The path of a Unix socket in the kernel's form.
package enum UnixAddress {
    /// Connects a socket to the socket at a path.
    package static func connect(_ descriptor: CInt, to path: String) -> Bool {
        unsafe with(path) { unsafe Foundation.connect(descriptor, $0, $1) == 0 }
    }

    /// Binds a socket to a path that must not exist yet.
    package static func bind(_ descriptor: CInt, to path: String) -> Bool {
        unsafe with(path) { unsafe Foundation.bind(descriptor, $0, $1) == 0 }
    }

    /// The path of a socket; `nil` if the descriptor is not a socket or has no path.
    package static func path(of descriptor: CInt) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isNamed = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isNamed, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = unsafe withUnsafeBytes(of: &address.sun_path) { unsafe Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.contains(0), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
