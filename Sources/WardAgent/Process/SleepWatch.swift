internal import CLinux
internal import Foundation
internal import Logging

/// Hears from logind that the machine is about to sleep, and holds the sleep up until the vault is locked.
///
/// [org.freedesktop.login1](https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html):
/// `PrepareForSleep`, and a `delay` inhibitor, which logind waits for five seconds. Where there is no logind the agent notices
/// after waking that the machine slept (``SuspendClock``).
///
/// Anybody on the bus may send the signal; it makes the vault lock, and nothing else.
final class SleepWatch: Sendable {
    private let logger: Logger
    private let lock: @Sendable () -> Void

    /// - Parameters:
    ///   - logger: Where to write.
    ///   - lock: Locks the vault, and returns when it is.
    init(logger: Logger, lock: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.lock = lock
    }

    /// Listens on a thread of its own as long as the process lives; ends by itself where there is no system bus.
    func start() {
        let thread = Thread { [self] in
            guard let bus = SystemBus() else { return logger.debug("no system bus: locking after sleep only") }
            listen(bus)
        }
        thread.name = "sleep-watch"
        thread.start()
    }

    private func listen(_ bus: SystemBus) {
        guard bus.subscribe() else { return logger.debug("the system bus sends no signals") }
        var inhibitor = bus.inhibitSleep()
        logger.debug("listening for sleep", metadata: ["delays": "\(inhibitor != nil)"])
        while let isStarting = bus.nextPrepareForSleep() {
            if isStarting {
                logger.info("the machine is about to sleep: locking")
                lock()
                // The descriptor's end is the permission to sleep.
                inhibitor = nil
            } else {
                inhibitor = bus.inhibitSleep()
            }
        }
        withExtendedLifetime(inhibitor) {}
    }
}

/// A connection to the system bus; used by one thread alone.
@safe private final class SystemBus {
    /// Closed when it is let go.
    final class Inhibitor {
        private let descriptor: CInt
        init(_ descriptor: CInt) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    /// What the callback leaves for the loop.
    private final class Heard {
        var signals: [Bool] = []
    }

    private let bus: OpaquePointer
    private let heard = Heard()

    init?() {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_system(&bus) >= 0, let bus = unsafe bus else { return nil }
        unsafe self.bus = unsafe bus
    }

    deinit { _ = unsafe sd_bus_flush_close_unref(bus) }

    func subscribe() -> Bool {
        let heard = unsafe Unmanaged.passUnretained(heard).toOpaque()
        // The object lives as long as the bus does.
        return unsafe sd_bus_match_signal(
            bus,
            nil,
            nil,
            "/org/freedesktop/login1",
            "org.freedesktop.login1.Manager",
            "PrepareForSleep",
            { message, heard, _ in
                var isStarting: CInt = 0
                if unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &isStarting) > 0,
                    let heard = unsafe heard
                {
                    unsafe Unmanaged<Heard>.fromOpaque(heard).takeUnretainedValue().signals.append(isStarting != 0)
                }
                return 0
            },
            heard
        ) >= 0
    }

    /// Asks logind to wait; `nil` where there is none, or where it does not want to.
    func inhibitSleep() -> Inhibitor? {
        var call: OpaquePointer?
        let made = unsafe sd_bus_message_new_method_call(
            bus,
            &call,
            "org.freedesktop.login1",
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
        // The message closes its own.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return own >= 0 ? Inhibitor(own) : nil
    }

    /// Waits for the next signal; `nil` when the bus is gone.
    func nextPrepareForSleep() -> Bool? {
        while heard.signals.isEmpty {
            let count = unsafe sd_bus_process(bus, nil)
            guard count >= 0 else { return nil }
            if count == 0, heard.signals.isEmpty, unsafe sd_bus_wait(bus, .max) < 0 { return nil }
        }
        return heard.signals.removeFirst()
    }
}
