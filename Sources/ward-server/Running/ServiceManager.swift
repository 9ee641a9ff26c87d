import Dispatch
import Foundation

/// Tells the service manager how the service does ([sd_notify(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html)).
///
/// Without a manager that wants to know, nothing is sent. Nothing that fails here stops the service.
struct ServiceManager: Sendable {
    private let socketName: [UInt8]?

    /// Reads `NOTIFY_SOCKET`: a path, or `@` and a name that is in no folder.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        var name = Array((environment["NOTIFY_SOCKET"] ?? "").utf8)
        let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        guard let first = name.first, [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first), name.count < room else {
            socketName = nil
            return
        }
        if first == UInt8(ascii: "@") { name[0] = 0 }
        socketName = name
    }

    /// The service answers.
    func isReady() { send("READY=1") }

    /// The service reads its settings again; ``isReady()`` follows.
    func isReloading() {
        // On Linux the clock of CLOCK_MONOTONIC, as sd_notify asks for.
        send("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
    }

    /// The service finishes what was begun.
    func isStopping() { send("STOPPING=1") }

    private func send(_ state: String) {
        guard let socketName else { return }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: socketName) }
        // The length tells a name that is in no folder from one with zeros behind it.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + socketName.count)
        let bytes = Array(state.utf8)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
