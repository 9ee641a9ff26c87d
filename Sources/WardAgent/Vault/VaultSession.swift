internal import Logging
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// The vault of this agent. It is opened when it is first needed, unlocked with a prompt, and locked after a while.
///
/// Requests run in parallel. Each change of the vault is one transaction, and transactions run one after the other. If the
/// vault is locked while a request runs, the request fails with `locked`, and a change is either complete or not made.
actor VaultSession {
    nonisolated let location: VaultLocation
    /// The folder with the data of sites.
    nonisolated let siteData: String
    nonisolated let effects: Effects
    nonisolated let asking: Asking
    nonisolated let idleLock: IdleLock
    /// The ways to verify the person without the passphrase.
    nonisolated let quick: QuickVerification
    /// Quick unlock: the PIN that opens the vault.
    nonisolated let quickUnlock: QuickUnlock
    /// What lists of leaked passwords say about the passwords.
    nonisolated let leaks: LeakMemory
    /// Rings after the vault was unlocked, made or restored.
    nonisolated let bell = SyncBell()
    private nonisolated let clock: @Sendable () -> ContinuousClock.Instant
    private nonisolated let logger: Logger

    /// The vault, if its file is open.
    private(set) var current: Vault?
    /// The time when the trash was last checked, or `nil` if it was not checked since the vault was locked.
    private(set) var trashCheckedAt: ContinuousClock.Instant?

    init(
        location: VaultLocation,
        siteData: String,
        effects: Effects,
        clock: @escaping @Sendable () -> ContinuousClock.Instant,
        asking: Asking,
        idleLock: IdleLock,
        quick: QuickVerification,
        quickUnlock: QuickUnlock,
        logger: Logger
    ) {
        self.location = location
        self.siteData = siteData
        self.effects = effects
        self.clock = clock
        leaks = LeakMemory(now: clock)
        self.asking = asking
        self.idleLock = idleLock
        self.quick = quick
        self.quickUnlock = quickUnlock
        self.logger = logger
    }

    /// Whether there is a vault.
    nonisolated var hasVault: Bool { location.hasVault }

    /// The vault as one of the credential managers.
    nonisolated func provider(of vault: Vault) -> VaultProvider {
        VaultProvider(vault: vault, siteData: siteData, effects: effects)
    }

    // MARK: The vault

    /// The vault's file.
    ///
    /// It is opened once and stays open.
    func file() async throws -> Vault {
        if let current { return current }
        let opened = try Vault.open(at: location, effects: effects)
        current = opened
        await opened.tellUnlocked(bell.ring)
        return opened
    }

    /// Takes over a vault that was just created, and that is open.
    func adopt(_ made: Vault) async {
        current = made
        await made.tellUnlocked(bell.ring)
        bell.ring()
    }

    /// Whether there is a vault and it is locked.
    var isLocked: Bool {
        get async {
            guard let vault = try? await file() else { return false }
            return await vault.isLocked
        }
    }

    /// The unlocked vault.
    ///
    /// If it is locked, it is unlocked with the passphrase of the request or with a prompt.
    ///
    /// If the person just typed the right passphrase, or the PIN of the TPM, `proof` records that.
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

    /// The unlocked vault, after the person typed the passphrase for this request.
    ///
    /// One prompt is enough, even if the vault was locked.
    nonisolated func openedByOwner(
        _ authorization: Authorization,
        _ requester: Requester,
        to purpose: PromptPurpose,
        page: [PromptSentence] = []
    ) async throws -> Vault {
        let proof = CeremonyProof()
        let vault = try await opened(
            authorization,
            requester,
            to: purpose,
            page: page,
            proof: proof,
            needsPassphrase: true
        )
        if !proof.take() { try await proveIdentity(vault, authorization, requester, to: purpose, page: page) }
        return vault
    }

    /// Locks the vault and closes its file.
    func close() async {
        guard let current else { return }
        self.current = nil
        quick.locked()
        leaks.forget()
        try? await current.close()
    }

    // MARK: Locking

    /// Marks a running request of a manager program.
    ///
    /// The idle lock waits for its end.
    nonisolated func working<T>(_ body: () async throws -> T) async rethrows -> T { try await idleLock.working(body) }

    /// Locks the vault when it was not used for a long time and when the machine slept.
    ///
    /// It runs until the task ends.
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

    /// Locks the vault if its time has passed.
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
        leaks.forget()
        logger.info("locked")
    }

    /// Removes items that were in the trash for thirty days.
    ///
    /// It runs soon after unlocking and then once an hour.
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
