import Dispatch
import Foundation

/// Reports the state of the service to the service manager
/// ([sd_notify(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html)).
///
/// If there is no service manager, nothing is sent. An error here never stops the service.
struct ServiceManager: Sendable {
    private let socketName: [UInt8]?

    /// Reads `NOTIFY_SOCKET`: a path, or `@` and the name of an abstract socket.
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

    /// The service reads its settings again.
    ///
    /// A call of ``isReady()`` follows.
    func isReloading() {
        // sd_notify requires the time of CLOCK_MONOTONIC. On Linux this clock has it.
        send("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
    }

    /// The service finishes the requests that are running.
    func isStopping() { send("STOPPING=1") }

    private func send(_ state: String) {
        guard let socketName else { return }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: socketName) }
        // The length is needed for an abstract name, because zeros at its end would be part of the name.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + socketName.count)
        let bytes = Array(state.utf8)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
