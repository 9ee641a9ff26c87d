internal import Foundation
internal import Logging

/// Hears from logind that the machine is about to sleep or that the person's session was locked, and locks the vault.
///
/// [org.freedesktop.login1](https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html):
/// `PrepareForSleep` with a `delay` inhibitor, which logind waits for five seconds; `Lock` of a session of this user, which
/// `loginctl lock-session` sends; and `LockedHint`, which a desktop sets when its screen is locked. Where there is no logind the
/// agent notices after waking that the machine slept (``SuspendClock``).
///
/// Anybody on the bus may send a signal; it makes the vault lock, and nothing else.
final class SleepWatch: Sendable {
    private static let rules = [
        "path='/org/freedesktop/login1',interface='org.freedesktop.login1.Manager',member='PrepareForSleep'",
        "path_namespace='/org/freedesktop/login1/session',interface='org.freedesktop.login1.Session',member='Lock'",
        "path_namespace='/org/freedesktop/login1/session',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
    ]

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
            guard let bus = MessageBus.system() else { return logger.debug("no system bus: locking after sleep only") }
            listen(bus)
        }
        thread.name = "sleep-watch"
        thread.start()
    }

    private func listen(_ bus: MessageBus) {
        guard Self.rules.allSatisfy({ bus.subscribe($0) }) else {
            return logger.debug("the system bus sends no signals")
        }
        var inhibitor = bus.inhibitSleep()
        logger.debug("listening for sleep", metadata: ["delays": "\(inhibitor != nil)"])
        while let signal = bus.next() {
            switch (signal.member, signal.flag) {
            case ("PrepareForSleep", true?):
                logger.info("the machine is about to sleep: locking")
                lock()
                // The descriptor's end is the permission to sleep.
                inhibitor = nil
            case ("PrepareForSleep", _): inhibitor = bus.inhibitSleep()
            case ("Lock", _): if isOwn(signal.path, bus) { lockWithSession() }
            default: if bus.isLocked(session: signal.path), isOwn(signal.path, bus) { lockWithSession() }
            }
        }
        withExtendedLifetime(inhibitor) {}
    }

    /// Whether a session is this user's; also where nobody says whose it is.
    private func isOwn(_ session: String, _ bus: MessageBus) -> Bool {
        bus.user(ofSession: session).map { $0 == getuid() } ?? true
    }

    private func lockWithSession() {
        logger.info("the session was locked: locking")
        lock()
    }
}

/// Hears on the person's own bus that the screen saver came, and locks the vault.
///
/// `ActiveChanged` of `org.freedesktop.ScreenSaver`, and of the desktops that have the same signal under a name of their own.
final class ScreenSaverWatch: Sendable {
    private static let interfaces = [
        "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
    ]

    private let logger: Logger
    private let lock: @Sendable () -> Void

    /// - Parameters:
    ///   - logger: Where to write.
    ///   - lock: Locks the vault, and returns when it is.
    init(logger: Logger, lock: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.lock = lock
    }

    /// Listens on a thread of its own as long as the process lives; ends by itself where there is no bus of the session.
    func start() {
        let thread = Thread { [self] in
            guard let bus = MessageBus.session() else { return logger.debug("no session bus: no word of the screen") }
            let rules = Self.interfaces.map { "interface='\($0)',member='ActiveChanged'" }
            guard rules.allSatisfy({ bus.subscribe($0) }) else { return }
            logger.debug("listening for the screen saver")
            while let signal = bus.next() {
                guard signal.flag == true else { continue }
                logger.info("the screen was locked: locking")
                lock()
            }
        }
        thread.name = "screen-watch"
        thread.start()
    }
}
