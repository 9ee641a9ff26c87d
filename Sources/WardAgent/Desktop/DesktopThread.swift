internal import Foundation
internal import Logging
internal import Synchronization

/// The thread that serves the desktop's interfaces.
final class DesktopThread: Sendable {
    /// The result of the start.
    enum Start: Sendable {
        case serving(DesktopThread)
        /// Another program owns the name.
        case taken
        /// No bus answers.
        case noBus
    }

    private let mailbox: DesktopMailbox
    private let ended = StopSignal()
    private let isOver = Mutex(false)

    private init(_ mailbox: DesktopMailbox) { self.mailbox = mailbox }

    /// Whether the thread still serves.
    var isServing: Bool { isOver.withLock { !$0 } }

    /// Connects, owns the names and serves.
    ///
    /// - Parameters:
    ///   - address: The bus.
    ///   - portal: The bus name of the interface for programs, or `nil` to serve only the interface for portals.
    ///   - door: Answers the requests.
    ///   - logger: Where to write.
    /// - Returns: The thread, or the reason why it does not serve.
    static func start(
        address: String,
        portal: String?,
        _ door: DesktopDoor,
        _ logger: Logger
    ) async -> Start {
        guard let mailbox = DesktopMailbox() else { return .noBus }
        let own = DesktopThread(mailbox)
        return await withCheckedContinuation { started in
            let thread = Thread {
                own.run(address, portal, door, logger) { started.resume(returning: $0) }
            }
            thread.name = "desktop"
            thread.start()
        }
    }

    /// Ends the thread, after it answered all requests.
    func end() async {
        mailbox.put(.end)
        await ended.wait()
    }

    private func run(
        _ address: String,
        _ portal: String?,
        _ door: DesktopDoor,
        _ logger: Logger,
        _ report: (Start) -> Void
    ) {
        defer {
            isOver.withLock { $0 = true }
            ended.signal()
        }
        guard let connection = BusConnection(address: address) else { return report(.noBus) }
        let interfaces: [any DesktopInterface] =
            [HandlerInterface(), ManagerInterface(), ProviderInterface()]
            + (portal.map { [PortalInterface(busName: $0)] } ?? [])
        let serving = DesktopServing(connection, interfaces, door, mailbox, logger)
        // The object is there before the name, so that no caller misses it.
        guard serving.addObject() else { return report(.noBus) }
        let names = Set(interfaces.map(\.busName))
        for name in names where !connection.own(name) {
            // When this is reported, the other names are free again.
            for name in names { connection.release(name) }
            return report(.taken)
        }
        logger.info("serving the portal of the desktop", metadata: ["name": "\(interfaces[0].busName)"])
        report(.serving(self))
        serving.run()
        connection.close()
        withExtendedLifetime(serving) {}
    }
}
