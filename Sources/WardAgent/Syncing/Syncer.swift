internal import Logging
internal import WardAgentClient
internal import WardSync
internal import WardVault
internal import WardWebAuthn

/// Syncs the open vault with its folder or its server, again and again.
///
/// While the vault is open and sync is on, a sync runs after unlocking, soon after a change, and every few seconds. With a server it
/// runs at once after a change, and when the server has something new. There is only one sync at a time. It runs on a thread of its
/// own, so nothing else waits for the folder. When the vault is locked, nothing waits for a sync that runs: it finds no key and
/// ends.
actor Syncer {
    /// Syncs a vault once; the same value is used for as long as the vault is open.
    typealias Run = @Sendable () async throws -> SyncReport
    typealias Outcome = Result<SyncReport, any Error>

    /// The time of the last sync is written only once in this many seconds, if nothing else changes.
    private static let recorded: Int64 = 15 * 60

    nonisolated let session: VaultSession
    nonisolated let makeRun: SyncRun.Making
    private nonisolated let times: SyncSchedule.Times
    private nonisolated let serverTimes: SyncSchedule.Times
    nonisolated let clock: @Sendable () -> ContinuousClock.Instant
    nonisolated let logger: Logger
    /// A new one after a sync that nobody waited for: it can hang in its folder.
    private(set) var thread = SyncThread()
    nonisolated let progress = ProgressNote()
    /// How far a device is that joins: it has no vault yet, and so no sync.
    nonisolated let joining = ProgressNote()

    /// The open vault to which everything below belongs.
    private var vault: Vault?
    var setting: SyncSetting?
    /// The setting as it is on the disk.
    private var kept: SyncSetting?
    private var run: SyncRun?
    /// What the first sync with a server needs, until it is done.
    private var beginning = ServerBeginning()
    private var listener = SyncListener()
    private(set) var schedule: SyncSchedule
    /// The number of the sync that runs.
    private(set) var current: Int?
    /// The position of the newest entry when it began.
    private var began: Int64 = 0
    private var task: Task<Void, Never>?
    private var lastNumber = 0
    /// The syncs that are in folders.
    var visits = FolderVisits()
    private(set) var waiting: [AsyncStream<Outcome>.Continuation] = []
    /// Who waits for a sync with another place than that of the setting.
    private var trials: [Int: AsyncStream<Outcome>.Continuation] = [:]
    /// The result of the last sync without an error.
    private(set) var report: SyncReport?
    private(set) var isCopied = false
    /// Why the setting of the open vault could not be read.
    private(set) var unreadable: VaultError?
    /// The number of switches that are being written: nothing else may write the setting then.
    private var switches = 0
    /// The number of switches so far.
    private(set) var switchCount = 0
    private var losses = ServerLosses()
    /// The number of changes of the circle that this device makes now.
    var ownChanges = 0
    /// Whether a move of the vault may have come that this device has not looked at.
    var mayHaveMoved = true
    /// Whether something may have come of which the person was not told.
    var mayHaveNews = true

    init(
        session: VaultSession,
        times: SyncSchedule.Times,
        serverTimes: SyncSchedule.Times,
        makeRun: @escaping SyncRun.Making,
        clock: @escaping @Sendable () -> ContinuousClock.Instant,
        logger: Logger
    ) {
        self.session = session
        self.makeRun = makeRun
        self.clock = clock
        self.logger = logger
        self.times = times
        self.serverTimes = serverTimes
        schedule = SyncSchedule(times)
    }

    // MARK: Time

    /// Looks at the vault in steps, and at once when it was unlocked or sync was switched, until the task ends.
    ///
    /// It can be called once.
    ///
    /// - Parameter step: How often the vault is looked at.
    nonisolated func watch(every step: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in self.session.bell.rings { await self.lookAtOnce() } }
            while !Task.isCancelled {
                await look()
                try? await Task.sleep(for: step)
            }
            group.cancelAll()
        }
        await forget()
    }

    /// Begins a sync if one is due, and forgets everything if the vault was locked.
    func look() async {
        await leaveHanging()
        let now = clock()
        await begin { $0.isDue($1, now: now) }
    }

    /// Begins a sync unless one runs, also if the vault was locked so shortly that nobody saw it.
    private func lookAtOnce() async {
        schedule.wake()
        await look()
    }

    /// Brings a change to a server at once, because other devices wait for it.
    private func lookForChange() async {
        if setting?.server != nil { await begin { $0.hasChanged($1) } }
    }

    /// Ends the wait for a sync whose folder does not answer.
    private func leaveHanging() async {
        guard let number = current, let folder = setting?.folder else { return }
        let now = clock()
        guard visits.hangs(number, reports: progress.count, at: now) else { return }
        task?.cancel()
        visits.left(number, until: now)
        (thread, run) = (SyncThread(), nil)
        lastNumber += 1
        current = lastNumber
        await ended(.failure(FolderError(notAnswering: folder)), lastNumber)
    }

    /// A sync has ended for which nobody waited any more.
    func folderAnswers(_ folder: String) async {
        guard current == nil, setting?.folder == folder else { return }
        schedule.reset()
        await look()
    }

    private func begin(if isDue: (SyncSchedule, Int64) -> Bool) async {
        guard await adopt() != nil, setting != nil else { return }
        // What cannot be written now waits on.
        try? await vault?.writeDueUses()
        guard let position = try? await vault?.position() else { return forget() }
        if setting != nil, isDue(schedule, position) { begin(at: position) }
    }

    /// Seconds until the next sync; `nil` while one runs, and if sync is off.
    var secondsLeft: Int? {
        guard setting != nil, current == nil else { return nil }
        let left = schedule.next.map { clock().duration(to: $0).components.seconds } ?? 0
        return max(0, Int(clamping: left))
    }

    var isRunning: Bool { current != nil || !trials.isEmpty }

    // MARK: The vault

    /// The open vault of the session, whose setting is read when it is seen for the first time.
    ///
    /// - Returns: `nil` if there is none.
    func adopt() async -> Vault? {
        guard let open = await session.current, await !open.isLocked else {
            forget()
            unreadable = nil
            return nil
        }
        if vault !== open {
            forget()
            let found: SyncSetting?
            do { found = try await SyncSetting.read(from: open) } catch {
                // Sync waits until the setting can be read.
                unreadable = error.code == .locked ? nil : error
                return nil
            }
            unreadable = nil
            if vault !== open {
                (vault, setting, kept) = (open, found, found)
                chooseTimes()
                await open.tellWritten { [weak self] in Task { await self?.lookForChange() } }
            }
        }
        return open
    }

    /// Refuses to go on while the setting cannot be read: it would be written over.
    ///
    /// - Throws: `VaultError` with `unavailable`.
    func checkReadable() async throws(VaultError) {
        _ = await adopt()
        if let unreadable { throw unreadable }
    }

    /// Notes that somebody waits for a sync with another place.
    ///
    /// - Returns: The number of the sync.
    func beginTrial(_ continuation: AsyncStream<Outcome>.Continuation) -> Int {
        lastNumber += 1
        trials[lastNumber] = continuation
        return lastNumber
    }

    /// It may have taken something, whatever became of it.
    func endTrial(_ number: Int) {
        (mayHaveMoved, mayHaveNews) = (true, true)
        trials[number] = nil
        if current == nil { progress.clear() }
    }

    private func forget() {
        stop()
        (vault, setting, kept, beginning) = (nil, nil, nil, ServerBeginning())
        (report, isCopied, mayHaveMoved, mayHaveNews) = (nil, false, true, true)
    }

    /// Ends the sync that runs, without waiting for it.
    private func stop() {
        // It can hang in a system call, so nobody waits for it.
        task?.cancel()
        listener.stop()
        if let end = run?.end { Task { await end() } }
        if let current {
            thread = SyncThread()
            visits.left(current, until: clock() + FolderVisits.patience)
        }
        (task, current, run) = (nil, nil, nil)
        progress.clear()
        schedule.reset()
        for one in waiting { one.finish() }
        waiting = []
        for one in trials.values { one.finish() }
        trials = [:]
    }

    // MARK: Switching

    /// Switches sync on, or changes the folder or the server.
    ///
    /// The next look begins a sync, at once if the vault is watched.
    ///
    /// - Parameters:
    ///   - vault: The open vault.
    ///   - place: The folder or the server.
    ///   - beginning: What the first sync with a server needs.
    ///   - moves: The moves of the vault that the person knew; `nil` for all that are here.
    ///   - number: The ``switchCount`` after which nobody may have switched sync; `nil` if that does not matter.
    /// - Returns: Whether sync was switched on: not if somebody switched it since.
    /// - Throws: `VaultError` with `locked`, `diskFull` or `unavailable`.
    @discardableResult
    func switchOn(
        _ vault: Vault,
        with place: SyncSetting.Place,
        beginning: ServerBeginning = ServerBeginning(),
        knowing moves: [VaultMove]? = nil,
        unlessSwitchedSince number: Int? = nil
    ) async throws(VaultError) -> Bool {
        // One that is being written counts already, and the setting is still the one before.
        if let number, number != switchCount || switches > 0 { return false }
        switchCount += 1
        let begun = switchCount
        var new = SyncSetting(place, since: session.effects.now())
        // The person chose the place, whatever was signed before.
        new.knownMoves = if let moves { moves.map(\.entry) } else { await self.moves(vault).map(\.entry) }
        if await adopt() === vault, let setting {
            new.memory = setting.memory
            if setting.place != place {
                new.memory?.forgetPlace()
                losses = ServerLosses()
            } else {
                (new.since, new.lastSuccess, new.lackingSince) = (
                    setting.since, setting.lastSuccess, setting.lackingSince
                )
            }
        }
        // What the person decided meanwhile stays.
        guard number == nil || begun == switchCount else { return false }
        do {
            switches += 1
            defer { switches -= 1 }
            try await new.keep(in: vault)
        }
        forget()
        (self.vault, setting, kept, self.beginning) = (vault, new, new, beginning)
        chooseTimes()
        session.bell.ring()
        return true
    }

    private func chooseTimes() { schedule = SyncSchedule(setting?.server == nil ? times : serverTimes) }

    /// Switches sync off.
    ///
    /// - Throws: As ``switchOn(_:with:beginning:)``.
    func switchOff(_ vault: Vault) async throws(VaultError) {
        switchCount += 1
        do {
            switches += 1
            defer { switches -= 1 }
            try await vault.keepDeviceRecord(nil, SyncSetting.record)
        }
        forget()
        // What is left behind costs only space.
        try? await ServerSync.forget(vault)
    }

    // MARK: Running

    /// Syncs, and returns after that.
    ///
    /// - Returns: What the sync did, and what one did that ran when this was called.
    /// - Throws: What the sync throws; `AgentError` with `sync_off`, or `locked` if the vault is locked meanwhile.
    func now() async throws -> SyncReport {
        guard await adopt() != nil else {
            if let unreadable { throw unreadable }
            throw AgentError(.locked, "The vault is locked. Open it: ward unlock")
        }
        guard setting != nil else { throw AgentError.syncIsOff }
        // One that runs may have read the vault before the last change.
        var earlier: SyncReport?
        if current != nil {
            switch try await outcome() {
            case .success(let report): earlier = report
            // The server said when to come back.
            case .failure(let error as ServerError) where error.retryAfter != nil: throw error
            case .failure: break
            }
        }
        if current == nil {
            guard let position = try await vault?.position() else { throw Self.lockedMeanwhile }
            if current == nil, setting != nil { begin(at: position) }
        }
        var report = try await outcome().get()
        if let earlier { report.add(earlier) }
        return report
    }

    /// Syncs, and returns after that or after some time, whatever comes of it.
    func tryNow(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await self.now() }
            group.addTask { try? await Task.sleep(for: limit) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    static let lockedMeanwhile = AgentError(.locked, "The vault was locked meanwhile. Open it: ward unlock")

    /// Waits for the sync that runs.
    private func outcome() async throws -> Outcome {
        guard current != nil else { throw Self.lockedMeanwhile }
        let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
        waiting.append(continuation)
        for await outcome in stream { return outcome }
        try Task.checkCancellation()
        throw Self.lockedMeanwhile
    }

    private func begin(at position: Int64) {
        guard let vault, let setting, current == nil else { return }
        let run = run ?? makeRun(vault, setting.place, beginning) { [progress] in progress.note($0) }
        self.run = run
        beginning.pages = []
        lastNumber += 1
        let (number, thread) = (lastNumber, thread)
        (current, began) = (number, position)
        schedule.began(at: position)
        let folder = setting.folder
        task = Task {
            let outcome =
                if let folder {
                    await visit(folder, run.sync, number, on: thread)
                } else {
                    await Self.perform(run.sync, on: thread)
                }
            await ended(outcome, number)
        }
    }

    private func ended(_ outcome: Outcome, _ number: Int) async {
        guard current == number, let vault else { return }
        progress.clear()
        let now = session.effects.now()
        var hasTaken = mayHaveNews
        var brought: Int64?
        switch outcome {
        case .success(let done) where done.troubles.contains(.hasOwnEntries):
            (isCopied, hasTaken) = (true, true)
            note(.copied, now)
        case .success(let done):
            let hadStrangers = report?.hasStrangers ?? false
            (report, isCopied, brought) = (done, false, began)
            let hasLacked = setting?.hasLackedLong
            if setting?.trouble != nil {
                listener.serverCameBack()
                // What was told of the trouble is told again if it comes back.
                hasTaken = true
            }
            setting?.note(done, at: now)
            hasTaken = hasTaken || setting?.hasLackedLong != hasLacked || done.hasStrangers != hadStrangers
            beginning = ServerBeginning()
            hasTaken = hasTaken || done.taken > 0 || done.hasTwoOrders || done.room?.almostFull != nil
            listener.looked(taken: done.taken)
            let (again, lost) = losses.note(done, at: clock())
            if again > 0 {
                schedule.failed(now: clock(), least: schedule.wait(after: again, jitter: jitter), jitter: jitter)
            } else {
                schedule.succeeded(taken: done.taken, now: clock())
            }
            if let lost { await tell(.broughtBack(lost)) }
            if current == number, again == 0 { listen() }
        case .failure(let error):
            if await vault.isLocked || error is CancellationError {
                if current == number { forget() }
                return
            }
            // It may have taken something before.
            hasTaken = true
            if let proof = await run?.twoOrders?() {
                report = report ?? SyncReport()
                report?.twoOrders = proof
            }
            guard current == number else { return }
            note(SyncState.Notice(error), now, least: .seconds((error as? ServerError)?.retryAfter ?? 0))
        }
        mayHaveNews = hasTaken
        if hasTaken { await tellNews(vault, number) }
        await keep(vault)
        guard current == number else { return }
        let waiters = waiting
        (current, task, waiting) = (nil, nil, [])
        mayHaveMoved = mayHaveMoved || hasTaken
        // Those who wait see the place after a move.
        if mayHaveMoved, ownChanges == 0 { await follow(vault, broughtUpTo: brought) }
        for one in waiters {
            one.yield(outcome)
            one.finish()
        }
        // There may have been a change meanwhile.
        await lookForChange()
    }

    /// Keeps the reason of a failure, with the time of the first one in a row.
    private func note(_ notice: SyncState.Notice, _ now: Int64, least: Duration = .zero) {
        if setting?.trouble?.code != notice.code {
            logger.warning("a sync failed", metadata: ["error": "\(notice.code)"])
        }
        let since = setting?.trouble?.since ?? now
        setting?.trouble = SyncSetting.Trouble(code: notice.code, message: notice.message, since: since)
        schedule.failed(now: clock(), least: least, jitter: jitter)
    }

    /// A number from 0 to 1; none for a folder, where nobody else is in the way.
    private var jitter: Double { setting?.server == nil ? 0 : Double.random(in: 0...1) }

    // MARK: News

    /// Waits for news of the server, until the vault is locked or sync is switched.
    private func listen() {
        guard let wait = run?.waitForNews else { return }
        let jitter = jitter
        listener.begin(wait) { [schedule] failures in
            schedule.wait(after: failures, jitter: jitter)
        } heard: { [weak self] number, hasNews in
            await self?.heard(number, hasNews)
        }
    }

    private func heard(_ number: Int, _ hasNews: Bool) async {
        guard let mustLook = listener.ended(number, hasNews: hasNews) else { return }
        guard mustLook else { return listen() }
        schedule.wake()
        // The sync that looks begins to wait again.
        if listener.mayLookAtOnce { await look() }
    }

    /// Writes the setting if something in it is worth it.
    func keep(_ vault: Vault) async {
        guard let setting, self.vault === vault, switches == 0 else { return }
        var (new, old) = (setting, kept)
        let passed = (new.lastSuccess ?? 0) - (old?.lastSuccess ?? 0)
        new.lastSuccess = nil
        old?.lastSuccess = nil
        guard new != old || !(0..<Self.recorded).contains(passed) else { return }
        guard (try? await setting.keep(in: vault)) != nil else { return }
        if self.vault === vault { kept = setting }
    }
}
