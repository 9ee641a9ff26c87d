internal import Foundation
public import Logging
internal import Synchronization
internal import WardAgentClient
public import WardVault
public import WardWebAuthn

/// The one that holds the open vault, and does what clients ask.
///
/// Requests run side by side; each change of the vault is one transaction of it, so two that meet are one after the other. A
/// vault that is locked while a request is in work makes that request fail with `locked`, and nothing half done stays.
public actor Agent {
    /// How an agent behaves.
    public struct Configuration: Sendable {
        /// Where the vault lies.
        public var location: VaultLocation
        /// Seconds without use after which the vault locks; 0 for never.
        public var idleLock: Int = 15 * 60
        /// Seconds after which an open vault locks although it is in use; 0 for never.
        public var openLimit: Int = 8 * 60 * 60
        /// The agent's version, for `status`.
        public var version = "0.1.0"
        /// How long a program may be connected before it says something.
        public var helloPatience = Duration.seconds(10)
        /// Time and randomness.
        public var effects = Effects.live
        /// The clock by which the agent measures how long ago something was: it never jumps, and counts the machine's sleep.
        public var clock: @Sendable () -> ContinuousClock.Instant = { .now }
        /// The agent's environment, of which prompts use what names the person's session.
        public var environment = ProcessInfo.processInfo.environment
        /// How programs are told apart.
        public var apps = AppPolicy.standard()
        /// Where other credential managers are declared.
        public var providers: ProviderPaths
        /// How long another manager has to say what it has.
        public var providerListing = Duration.seconds(5)
        /// How long another manager has to hand something out, for which it may ask its person.
        public var providerUse = Duration.seconds(120)

        /// Starts from a place.
        public init(location: VaultLocation) {
            self.location = location
            providers = ProviderPaths(location: location)
        }
    }

    nonisolated let configuration: Configuration
    nonisolated let prompting: any Prompting
    nonisolated let logger: Logger
    nonisolated let notifier: any Notifying
    nonisolated let prompts = PromptQueue()
    nonisolated let declines: Declines
    nonisolated let person: PersonSession
    nonisolated let attempts: AttemptLimiter
    nonisolated let sheetMemory: SheetMemory
    nonisolated let handedOut: HandedOutPasswords
    nonisolated let idleLock: IdleLock
    nonisolated let providerStarts = ProviderStarts()
    nonisolated let providerKeys: ProviderKeys
    nonisolated let providerProofs: ProviderProofs
    /// The agent's process.
    nonisolated let processID = getpid()
    private nonisolated let stopping = StopSignal()

    private var vault: Vault?
    /// When the trash was last looked through; `nil` since the vault was locked.
    var trashCheckedAt: ContinuousClock.Instant?

    /// Puts an agent together; the vault is opened when it is first needed.
    ///
    /// - Parameters:
    ///   - configuration: How it behaves.
    ///   - prompting: Who asks the person.
    ///   - notifier: Who tells the person what happened without being asked.
    ///   - logger: Where to write; never a secret.
    public init(
        _ configuration: Configuration,
        prompting: any Prompting = Pinentry(),
        notifier: any Notifying = DesktopNotification(),
        logger: Logger
    ) {
        self.configuration = configuration
        idleLock = IdleLock(
            idle: configuration.idleLock,
            longest: configuration.openLimit,
            now: configuration.clock
        )
        self.prompting = CountedPrompting(base: prompting, idleLock: idleLock)
        self.notifier = notifier
        self.logger = logger
        sheetMemory = SheetMemory(now: configuration.clock)
        handedOut = HandedOutPasswords(now: configuration.clock)
        declines = Declines(now: configuration.clock)
        person = PersonSession(environment: configuration.environment)
        providerKeys = ProviderKeys(path: configuration.providers.publicKeys)
        providerProofs = ProviderProofs(folder: configuration.providers.proofs, effects: configuration.effects)
        attempts = AttemptLimiter(
            path: configuration.location.stateDirectory + "/attempts",
            effects: configuration.effects
        )
    }

    // MARK: The vault

    /// The vault's file, opened once and kept.
    func file() throws -> Vault {
        if let vault { return vault }
        let opened = try Vault.open(at: configuration.location, effects: configuration.effects)
        vault = opened
        return opened
    }

    /// Takes a vault that was just made.
    func adopt(_ made: Vault) { vault = made }

    /// The unlocked vault: unlocks it first, with what the request brought or by asking.
    func opened(
        _ authorization: Authorization,
        _ caller: AgentCaller,
        purpose: String,
        asker: String? = nil
    ) async throws -> Vault {
        let vault = try file()
        guard await vault.isLocked else { return vault }
        try await unlock(vault, authorization, caller, purpose: purpose, trust: .known, asker: asker)
        return vault
    }

    // MARK: Waiting

    /// Marks a manager program's request, which puts the idle lock off.
    func working<T>(_ body: () async throws -> T) async rethrows -> T { try await idleLock.working(body) }

    /// Locks the vault when nobody used it for long, and when the machine slept; until the task ends.
    nonisolated func watchIdleness() async {
        var clock = SuspendClock()
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            if clock.hasSlept() {
                logger.info("the machine slept: locking")
                await lockIfOpen()
            }
            await lockIfDue()
            await emptyExpiredTrash()
        }
    }

    /// Locks the vault if its time is over.
    func lockIfDue() async {
        let isOpen = if let vault { await !vault.isLocked } else { false }
        guard idleLock.isDue(isOpen: isOpen) else { return }
        await lockIfOpen()
    }

    /// Locks the vault if it is open.
    nonisolated func lockIfOpen() async {
        guard let vault = await current, await !vault.isLocked else { return }
        await vault.lock()
        idleLock.locked()
        logger.info("locked")
    }

    /// The vault as far as it was opened.
    var current: Vault? { vault }

    // MARK: The end

    /// Asks the agent to end; what is in work is given up.
    @discardableResult
    func stop() -> Done {
        stopping.signal()
        return Done()
    }

    /// Returns when somebody asked the agent to end.
    nonisolated func waitUntilStopped() async {
        await stopping.wait()
        // The answer to the one who asked goes out first.
        try? await Task.sleep(for: .milliseconds(50))
    }

    /// Locks the vault and gives its file free.
    func close() async {
        guard let vault else { return }
        self.vault = nil
        try? await vault.close()
    }
}

/// A flag that somebody may wait for.
private final class StopSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func signal() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}
