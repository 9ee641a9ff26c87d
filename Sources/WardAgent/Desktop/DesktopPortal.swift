internal import Foundation
internal import Logging
internal import Synchronization
internal import WardAgentClient

/// The agent's door for programs of the desktop, on the person's message bus.
///
/// The person switches it on. It then lasts as long as the agent, and starts with the next agent.
final class DesktopPortal: Sendable {
    private let settings: DesktopSettings
    private let address: String?
    private let portalName: String?
    private let activation: DesktopActivation
    private let door: DesktopDoor
    private let logger: Logger
    /// One change at a time.
    private let turns = Turns()
    private let thread = Mutex<DesktopThread?>(nil)

    init(
        settings: DesktopSettings,
        environment: [String: String],
        door: DesktopDoor,
        logger: Logger
    ) {
        self.settings = settings
        address = BusConnection.address(environment)
        portalName = environment["WARD_PORTAL_NAME"]
        activation = DesktopActivation(environment: environment)
        self.door = door
        self.logger = logger
    }

    /// Serves until the task is cancelled, if the person switched the portal on.
    func serve() async {
        try? await turns.next { await open() }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
        // A cancelled task waits for nothing, so another one waits for the thread.
        await Task { await close() }.value
    }

    /// Switches the portal on or off.
    func set(isOn: Bool) async throws -> DesktopStatus.Result {
        try await turns.next {
            try settings.set(isOn: isOn)
            if isOn {
                try activation.add()
                await open()
            } else {
                await close()
                activation.remove()
            }
        }
        return await status()
    }

    private func open() async {
        guard settings.isOn, let address, thread.withLock({ $0?.isServing != true }) else { return }
        switch await DesktopThread.start(address: address, portal: portalName, door, logger) {
        case .serving(let started): thread.withLock { $0 = started }
        case .taken:
            thread.withLock { $0 = nil }
            logger.notice("another program is the portal for passkeys of the desktop: ward desktop portal status")
        case .noBus:
            thread.withLock { $0 = nil }
            logger.info("there is no message bus for the portal of the desktop")
        }
    }

    private func close() async {
        let serving = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        await serving?.end()
    }

    /// Whether the portal is on, and which program has its name.
    func status() async -> DesktopStatus.Result {
        let name = HandlerInterface().busName
        guard settings.isOn else { return DesktopStatus.Result(isOn: false, state: .off, name: name) }
        if thread.withLock({ $0?.isServing == true }) {
            return DesktopStatus.Result(isOn: true, state: .serving, name: name)
        }
        guard let address else { return DesktopStatus.Result(isOn: true, state: .noBus, name: name) }
        let names = [name, ProviderInterface().busName] + (portalName.map { [$0] } ?? [])
        return await onThread {
            guard let connection = BusConnection(address: address) else {
                return DesktopStatus.Result(isOn: true, state: .noBus, name: name)
            }
            // All names are needed, so the first one that is taken says whose they are.
            for name in names {
                guard let owner = connection.owner(of: name) else { continue }
                var result = DesktopStatus.Result(isOn: true, state: .taken, name: name)
                result.pid = connection.credentials(of: owner)?.pid
                result.program = result.pid.flatMap { PeerProcess($0)?.snapshot?.path }
                return result
            }
            return DesktopStatus.Result(isOn: true, state: .free, name: name)
        }
    }
}
