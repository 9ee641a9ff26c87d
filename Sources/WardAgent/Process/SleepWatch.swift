internal import Foundation
internal import Logging

/// Locks the vault when logind reports that the machine will sleep or that the person's session was locked.
///
/// [org.freedesktop.login1](https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html):
/// `PrepareForSleep` with a `delay` inhibitor, for which logind waits five seconds; `Lock` of a session of this user,
/// from `loginctl lock-session`; and `LockedHint`, which a desktop sets when its screen is locked. Without logind, the
/// agent notices after waking that the machine slept (``SuspendClock``).
///
/// Any program on the bus can send such a signal. The only effect is that the vault locks.
final class SleepWatch: Sendable {
    private static let rules = [
        "path='/org/freedesktop/login1',interface='org.freedesktop.login1.Manager',member='PrepareForSleep'",
        "path_namespace='/org/freedesktop/login1/session',interface='org.freedesktop.login1.Session',member='Lock'",
        "path_namespace='/org/freedesktop/login1/session',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
    ]

    private let logger: Logger
    private let lock: @Sendable () -> Void

    /// - Parameters:
    ///   - logger: The logger.
    ///   - lock: Locks the vault, and returns when that is done.
    init(logger: Logger, lock: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.lock = lock
    }

    /// Listens on its own thread until the process ends.
    ///
    /// Without a system bus the thread ends at once.
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
                // The machine may sleep after this descriptor is closed.
                inhibitor = nil
            case ("PrepareForSleep", _): inhibitor = bus.inhibitSleep()
            case ("Lock", _): if isOwn(signal.path, bus) { lockWithSession() }
            default: if bus.isLocked(session: signal.path), isOwn(signal.path, bus) { lockWithSession() }
            }
        }
        withExtendedLifetime(inhibitor) {}
    }

    /// Whether a session belongs to this user.
    ///
    /// The result is also true if that is unknown.
    private func isOwn(_ session: String, _ bus: MessageBus) -> Bool {
        bus.user(ofSession: session).map { $0 == getuid() } ?? true
    }

    private func lockWithSession() {
        logger.info("the session was locked: locking")
        lock()
    }
}

/// Locks the vault when the person's message bus reports that the screen saver started.
///
/// It listens to the signal `ActiveChanged` of `org.freedesktop.ScreenSaver`, and of desktops that have the same signal under
/// another name.
final class ScreenSaverWatch: Sendable {
    private static let interfaces = [
        "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
    ]

    private let logger: Logger
    private let lock: @Sendable () -> Void

    /// - Parameters:
    ///   - logger: The logger.
    ///   - lock: Locks the vault, and returns when that is done.
    init(logger: Logger, lock: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.lock = lock
    }

    /// Listens for the screen saver's signals on its own thread until the process ends.
    ///
    /// Without a session bus the thread ends at once.
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
