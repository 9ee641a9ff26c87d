internal import Logging
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// The vault of this agent: opened when it is first needed, unlocked by asking, locked after a while.
///
/// Requests run side by side. Each change of the vault is one transaction, so two that meet are one after the other. A vault that
/// is locked while a request is running makes that request fail with `locked`, and nothing half done stays.
actor VaultSession {
    nonisolated let location: VaultLocation
    nonisolated let effects: Effects
    nonisolated let asking: Asking
    nonisolated let idleLock: IdleLock
    /// How the person is verified without the passphrase.
    nonisolated let quick: QuickVerification
    /// How a PIN opens the vault.
    nonisolated let quickUnlock: QuickUnlock
    private nonisolated let clock: @Sendable () -> ContinuousClock.Instant
    private nonisolated let logger: Logger

    /// The vault as far as it was opened.
    private(set) var current: Vault?
    /// When the trash was last looked through; `nil` since the vault was locked.
    private(set) var trashCheckedAt: ContinuousClock.Instant?

    init(
        location: VaultLocation,
        effects: Effects,
        clock: @escaping @Sendable () -> ContinuousClock.Instant,
        asking: Asking,
        idleLock: IdleLock,
        quick: QuickVerification,
        quickUnlock: QuickUnlock,
        logger: Logger
    ) {
        self.location = location
        self.effects = effects
        self.clock = clock
        self.asking = asking
        self.idleLock = idleLock
        self.quick = quick
        self.quickUnlock = quickUnlock
        self.logger = logger
    }

    /// Whether there is a vault.
    nonisolated var hasVault: Bool { location.hasVault }

    // MARK: The vault

    /// The vault's file, opened once and kept.
    func file() throws -> Vault {
        if let current { return current }
        let opened = try Vault.open(at: location, effects: effects)
        current = opened
        return opened
    }

    /// Takes a vault that was just made.
    func adopt(_ made: Vault) { current = made }

    /// Whether there is a vault, and it is locked.
    var isLocked: Bool {
        get async {
            guard hasVault, let vault = try? file() else { return false }
            return await vault.isLocked
        }
    }

    /// The unlocked vault; unlocks it first, with the passphrase of the request or by asking.
    ///
    /// Where the passphrase was right just now, or the PIN of the TPM, `proof` hears of it.
    nonisolated func opened(
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose?,
        page: [PromptSentence] = [],
        asker: [[PromptSentence]]? = nil,
        proof: CeremonyProof? = nil,
        needsPassphrase: Bool = false
    ) async throws -> Vault {
        let vault = try await file()
        guard await vault.isLocked else { return vault }
        try await unlock(
            vault,
            authorization,
            requester,
            to: purpose,
            trust: .known,
            page: page,
            asker: asker,
            proof: proof,
            needsPassphrase: needsPassphrase
        )
        return vault
    }

    /// The unlocked vault, after the person typed the passphrase for this: once, also where the vault was locked.
    nonisolated func openedByOwner(
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose
    ) async throws -> Vault {
        let proof = CeremonyProof()
        let vault = try await opened(authorization, requester, to: purpose, proof: proof, needsPassphrase: true)
        if !proof.take() { try await proveIdentity(vault, authorization, requester, to: purpose) }
        return vault
    }

    /// Locks the vault and releases its file.
    func close() async {
        guard let current else { return }
        self.current = nil
        quick.locked()
        try? await current.close()
    }

    // MARK: Locking

    /// Marks the request of a manager's program, which puts the idle lock off.
    nonisolated func working<T>(_ body: () async throws -> T) async rethrows -> T { try await idleLock.working(body) }

    /// Locks the vault when nobody used it for long, and when the machine slept; until the task ends.
    nonisolated func watch() async {
        var clock = SuspendClock()
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            if clock.hasSlept() {
                logger.info("the machine slept: locking")
                await lockIfOpen()
            }
            await lockIfDue()
            await emptyExpiredTrash()
            if let current = await current { await quickUnlock.renewIfDue(current) }
        }
    }

    /// Locks the vault if its time is over.
    func lockIfDue() async {
        let isOpen = if let current { await !current.isLocked } else { false }
        guard idleLock.isDue(isOpen: isOpen) else { return }
        await lockIfOpen()
    }

    /// Locks the vault if it is open.
    nonisolated func lockIfOpen() async {
        guard let vault = await current, await !vault.isLocked else { return }
        await vault.lock()
        idleLock.locked()
        quick.locked()
        logger.info("locked")
    }

    /// Removes for good what has been in the trash for thirty days, soon after unlocking and then once an hour.
    func emptyExpiredTrash() async {
        guard let current, await !current.isLocked else {
            trashCheckedAt = nil
            return
        }
        if let trashCheckedAt, trashCheckedAt.duration(to: clock()) < .seconds(3600) { return }
        let removed = (try? await current.emptyExpiredTrash()) ?? 0
        trashCheckedAt = clock()
        guard removed > 0 else { return }
        logger.notice("the trash was emptied of what lay there for thirty days", metadata: ["items": "\(removed)"])
    }
}
