internal import CLinux
internal import Foundation
internal import WardFolders

/// A connection to the person's message bus that serves an object.
///
/// It belongs to one thread.
@safe final class BusConnection {
    /// What the bus reports about the process of a connection.
    struct Credentials: ~Copyable {
        var user: UInt32
        var pid: Int32
        /// A descriptor of the very process that connected (`pidfd_open(2)`); `nil` if the bus is too old.
        var process: Descriptor?
    }

    private static let service = "org.freedesktop.DBus"
    /// How long the bus itself may take for an answer, in microseconds.
    private static let patience: UInt64 = 5_000_000

    let bus: OpaquePointer

    /// Connects.
    ///
    /// - Returns: `nil` if no bus answers at the address.
    init?(address: String) {
        var bus: OpaquePointer?
        guard unsafe sd_bus_new(&bus) >= 0, let bus = unsafe bus else { return nil }
        unsafe self.bus = unsafe bus
        guard unsafe sd_bus_set_address(bus, address) >= 0, unsafe sd_bus_set_bus_client(bus, 1) >= 0,
            unsafe sd_bus_set_method_call_timeout(bus, Self.patience) >= 0, unsafe sd_bus_start(bus) >= 0
        else { return nil }
    }

    deinit { _ = unsafe sd_bus_flush_close_unref(bus) }

    /// Sends what is left, and leaves the bus.
    func close() {
        _ = unsafe sd_bus_flush(bus)
        unsafe sd_bus_close(bus)
    }

    /// The address of the bus of the person's session; `nil` if the environment names none.
    static func address(_ environment: [String: String]) -> String? {
        if let named = environment["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty { return named }
        guard let runtime = BaseFolders(environment: environment).runtime else { return nil }
        let path = runtime + "/bus"
        let isPlain = path.utf8.allSatisfy { $0.isLetterOrDigit || "/._-".utf8.contains($0) }
        return isPlain && FileManager.default.fileExists(atPath: path) ? "unix:path=" + path : nil
    }

    /// Owns a name, if no other connection owns it.
    ///
    /// The name is neither taken from another connection nor waited for.
    func own(_ name: String) -> Bool { unsafe sd_bus_request_name(bus, name, 0) > 0 }

    /// Gives a name back, if this connection owns it.
    func release(_ name: String) { _ = unsafe sd_bus_release_name(bus, name) }

    /// The process of a connection; `nil` if the connection is gone.
    func credentials(of name: String) -> Credentials? {
        guard let reply = ask("GetConnectionCredentials", name) else { return nil }
        var (user, pid): (UInt32?, UInt32?)
        var process: Descriptor?
        do throws(BusError) {
            try reply.dictionary(limit: 256) { key, type in
                switch (key, type) {
                case ("UnixUserID", "u"): user = reply.number()
                case ("ProcessID", "u"): pid = reply.number()
                case ("ProcessFD", "h"): process = reply.descriptor()
                default: return false
                }
                return true
            }
        } catch {
            return nil
        }
        guard let user, let pid = pid.flatMap({ Int32(exactly: $0) }), pid > 0 else { return nil }
        return Credentials(user: user, pid: pid, process: process)
    }

    /// The unique name of the connection that owns a name; `nil` if no connection owns it.
    func owner(of name: String) -> String? {
        guard let reply = ask("GetNameOwner", name) else { return nil }
        return try? reply.text("the owner", limit: DesktopRequest.Limit.name)
    }

    private func ask(_ member: String, _ name: String) -> BusMessage? {
        let service = Self.service
        let call = unsafe BusOutput(bus, call: member, of: service, at: "/org/freedesktop/DBus", to: service)
        call?.add(name)
        return unsafe call?.call(on: bus, microseconds: Self.patience)
    }

    /// Waits until the bus, or a descriptor, has something to read.
    ///
    /// - Returns: `false` if the bus is gone.
    func wait(for descriptor: CInt) -> Bool {
        var until: UInt64 = 0
        let (number, events) = unsafe (sd_bus_get_fd(bus), sd_bus_get_events(bus))
        guard number >= 0, events >= 0, unsafe sd_bus_get_timeout(bus, &until) >= 0 else { return false }
        var waiting = [
            pollfd(fd: number, events: Int16(truncatingIfNeeded: events), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let ready = unsafe poll(&waiting, nfds_t(waiting.count), Self.milliseconds(until))
        return ready >= 0 || errno == EINTR
    }

    /// The time until a point of the monotonic clock in microseconds, for `poll(2)`.
    private static func milliseconds(_ until: UInt64) -> CInt {
        guard until != .max else { return -1 }
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let passed = UInt64(clamping: now.tv_sec) * 1_000_000 + UInt64(clamping: now.tv_nsec) / 1_000
        return until > passed ? CInt(clamping: (until - passed) / 1_000 + 1) : 0
    }
}

extension Peer {
    /// The process of a connection to the bus.
    ///
    /// A process number alone proves nothing: it can be reused. With a descriptor of the process, that is excluded. Otherwise the
    /// connection must still exist, with the same process number, after the process was opened.
    ///
    /// The result is `nil` if the connection is gone, or belongs to another user.
    ///
    /// - Parameters:
    ///   - name: The unique name of the connection.
    ///   - connection: The bus.
    init?(_ name: String, on connection: BusConnection) {
        guard let said = connection.credentials(of: name), said.user == getuid() else { return nil }
        let pid = said.pid
        let process: PeerProcess?
        if let descriptor = said.process {
            var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            process = PeerProcess(pid) { unsafe poll(&event, 1, 0) == 0 }
        } else {
            process = PeerProcess(pid) { connection.credentials(of: name)?.pid == pid }
        }
        // A process that has ended has no program any more.
        guard let process, process.snapshot != nil else { return nil }
        self.init(process, pid: pid)
    }
}
