internal import CLinux
internal import Foundation

/// A connection to a message bus, used by only one thread.
@safe final class MessageBus {
    /// A received signal: its sender, its name, and its first arguments (a boolean, or a string and a boolean).
    struct Signal: Sendable {
        /// The unique name of the connection that sent the signal.
        var sender: String
        var path: String
        var member: String
        var text: String?
        var flag: Bool?
    }

    /// The bus is closed when this value is released.
    final class Inhibitor {
        private let descriptor: CInt
        init(_ descriptor: CInt) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    /// The signals that the callback passes to the loop.
    final class Heard {
        var signals: [Signal] = []
    }

    private static let login = "org.freedesktop.login1"

    let bus: OpaquePointer
    let heard = Heard()

    private init(_ bus: OpaquePointer) { unsafe self.bus = unsafe bus }

    deinit { _ = unsafe sd_bus_flush_close_unref(bus) }

    /// The system bus; `nil` if there is none.
    static func system() -> MessageBus? {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_system(&bus) >= 0, let bus = unsafe bus else { return nil }
        return unsafe MessageBus(bus)
    }

    /// The bus of the person's session; `nil` if there is none.
    static func session() -> MessageBus? {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_user(&bus) >= 0, let bus = unsafe bus else { return nil }
        return unsafe MessageBus(bus)
    }

    /// Listens for signals.
    ///
    /// - Parameter rule: A [match rule](https://dbus.freedesktop.org/doc/dbus-specification.html) without the type.
    /// - Returns: Whether the bus accepts the rule.
    func subscribe(_ rule: String) -> Bool {
        let heard = unsafe Unmanaged.passUnretained(heard).toOpaque()
        // The object must live as long as the bus connection.
        return unsafe sd_bus_add_match(
            bus,
            nil,
            "type='signal'," + rule,
            { message, heard, _ in
                guard let heard = unsafe heard, let member = unsafe sd_bus_message_get_member(message),
                    let path = unsafe sd_bus_message_get_path(message)
                else { return 0 }
                var text: UnsafePointer<CChar>?
                var flag: CInt = 0
                // Reading a value of another type fails, and the read position stays.
                let isText = unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text) > 0
                let isFlag = unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &flag) > 0
                unsafe Unmanaged<Heard>.fromOpaque(heard).takeUnretainedValue().signals.append(
                    unsafe Signal(
                        sender: sd_bus_message_get_sender(message).map { unsafe String(cString: $0) } ?? "",
                        path: String(cString: path),
                        member: String(cString: member),
                        text: isText ? text.map { unsafe String(cString: $0) } : nil,
                        flag: isFlag ? flag != 0 : nil
                    )
                )
                return 0
            },
            heard
        ) >= 0
    }

    /// Waits for the next signal; `nil` if the bus is gone.
    func next() -> Signal? {
        while heard.signals.isEmpty {
            let count = unsafe sd_bus_process(bus, nil)
            guard count >= 0 else { return nil }
            if count == 0, heard.signals.isEmpty, unsafe sd_bus_wait(bus, .max) < 0 { return nil }
        }
        return heard.signals.removeFirst()
    }

    // MARK: logind

    /// Asks logind to delay sleep; `nil` if there is no logind, or it refuses.
    func inhibitSleep() -> Inhibitor? {
        var call: OpaquePointer?
        let made = unsafe sd_bus_message_new_method_call(
            bus,
            &call,
            Self.login,
            "/org/freedesktop/login1",
            "org.freedesktop.login1.Manager",
            "Inhibit"
        )
        defer { _ = unsafe sd_bus_message_unref(call) }
        guard made >= 0 else { return nil }
        for word in ["sleep", "Ward", "locks the vault", "delay"] {
            guard unsafe sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), word) >= 0 else { return nil }
        }
        var reply: OpaquePointer?
        defer { _ = unsafe sd_bus_message_unref(reply) }
        guard unsafe sd_bus_call(bus, call, 2_000_000, nil, &reply) >= 0 else { return nil }
        var descriptor: CInt = -1
        guard unsafe sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "h")), &descriptor) > 0 else { return nil }
        // The message closes its own copy of the descriptor.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return own >= 0 ? Inhibitor(own) : nil
    }

    /// The user of a session; `nil` if logind does not know.
    func user(ofSession path: String) -> UInt32? {
        var reply: OpaquePointer?
        defer { _ = unsafe sd_bus_message_unref(reply) }
        let answered = unsafe sd_bus_get_property(
            bus,
            Self.login,
            path,
            "org.freedesktop.login1.Session",
            "User",
            nil,
            &reply,
            "(uo)"
        )
        var user: UInt32 = 0
        guard answered >= 0,
            unsafe sd_bus_message_enter_container(reply, CChar(UInt8(ascii: "r")), "uo") > 0,
            unsafe sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &user) > 0
        else { return nil }
        return user
    }

    /// Whether a session's screen is locked, according to logind.
    func isLocked(session path: String) -> Bool {
        var value: CInt = 0
        let answered = unsafe sd_bus_get_property_trivial(
            bus,
            Self.login,
            path,
            "org.freedesktop.login1.Session",
            "LockedHint",
            nil,
            CChar(UInt8(ascii: "b")),
            &value
        )
        return answered >= 0 && value != 0
    }
}
