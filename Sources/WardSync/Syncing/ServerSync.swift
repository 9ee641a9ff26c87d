internal import WardLog
package import WardVault

/// Brings an open vault and its copy on a server to the same state: takes what other devices brought, then brings what this device
/// wrote.
///
/// One value serves one vault and one server for as long as the vault is open. What it remembers is in a sealed record of the device:
/// how far it has read the server's order, and the hashes of this order. Without the record it reads everything again.
///
/// The server decides nothing: every entry is checked by the vault. The server is checked too. It must not leave entries out, change
/// them, or show another order to another device; what this device finds is an error with a code of its own, after everything else
/// was done.
package actor ServerSync {
    let vault: Vault
    let connection: ServerConnection
    let sleep: @Sendable (Duration) async throws -> Void
    let now: @Sendable () -> ContinuousClock.Instant
    let progress: SyncProgress.Report
    /// The invitation with which the vault is brought; it is forgotten once it was used.
    private(set) var invitation: String?
    /// Whether nothing of the server is kept: the records of the device are those of another one.
    let isOnce: Bool
    /// What was read before this device had the vault.
    var pages: ArraySlice<ServerPage>
    /// What the server answered when it was asked for news.
    var heard: ServerPage?
    /// Whether the server has a request of this device that it answers when it has something new.
    private var isListening = false

    let intake: Intake
    var state: ServerState
    private var isRestored = false
    /// The order of the server; `nil` before anything was read.
    var order: ServerOrder?
    /// The order from before the server lost entries, while everything is read again.
    var earlier: ServerOrder?
    /// The number up to which positions could be compared before that.
    var mostComparable = UInt64.max
    /// The order that an earlier program had not read to the end, and up to which number its positions can be compared.
    var unfinished: (order: [UInt8], comparable: UInt64?)?
    /// The entries on the server, while all of them are read; otherwise `nil`.
    var present: Set<[UInt8]>?
    /// Those of them that came without the data that they name: a server that is new to the vault gets the data.
    ///
    /// Only if nothing of the server is kept: later it may have deleted data that nobody needs any more.
    var withoutData: Set<[UInt8]> = []
    /// What the server lacked when everything was read again because of that.
    var lastGap: [[UInt8]]?
    /// Whether the server had lost entries when it was looked at last.
    var isBringingBack = false
    /// Entries that the server showed and the vault does not have, by their hashes.
    var untaken: [[UInt8]: Untaken] = [:]
    /// Whether the next run looks at the server from the last entry that is known, and not after it.
    private var mustCheck = true
    /// Whether this run does.
    private var isChecking = true
    /// How often this run began to read the server's order anew.
    private(set) var beginnings = 0
    /// Whether one of them was because the server did not have the order that it had before.
    private var hasBegunAnew = false
    /// More often a server does not lose entries in one run.
    private static let mostBeginnings = 4
    /// How often this run read everything again because it needs entries that were dropped.
    private var rounds = 0
    private static let mostRounds = 4
    /// Whether everything was read again because entries were missing, and entries are missing all the same.
    private var hasReadAgain = false
    /// How many entries of others the vault had when the last run ended with a question, of which the server has all sides.
    private var compared: Int64?
    /// Whether the server showed entries without data that the vault needs.
    private var lacksData = false
    /// The numbers of entries that the vault has without data that it needs, and that the server showed without it, by their hashes.
    var unfilled: [[UInt8]: UInt64] = [:]
    /// The number of the last entry that was asked for again because its data was not there.
    var lastUnfilled: UInt64 = 0
    /// What was in question when the whole server was read for data the last time.
    private var searched: DataInQuestion?
    /// The reconnections after which the server was looked at.
    private var seenReconnections = 0
    /// Into how many parts uploads and pages are divided, because whole ones did not pass: a power of two.
    private(set) var parts = 1
    /// How large uploads and pages are, as long as they pass.
    private(set) var pace = TransferPace()
    /// A page of 15 entries, and an upload of 256 KiB.
    private static let mostParts = 32
    /// How many parts passed since their size changed last.
    private var passed = 0
    /// Whether anything passed in this run.
    package private(set) var hasPassed = false
    /// The least number of parts, because larger ones did not pass where others did; until a run ends well.
    private var leastParts = 1
    /// After so many, parts become larger again: a server that was only away is not asked for one entry after the other.
    private static let passesUntilLarger = 4
    /// The position that this device's entries carry.
    private var noted: RemotePosition?

    /// Whether this device is bringing something now.
    var isBringing = false

    /// Prepares a sync; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - vault: The vault, which must be unlocked when ``run()`` is called.
    ///   - connection: The way to the server, for the same vault.
    ///   - beginning: What the first sync needs.
    ///   - waiting: How much waits for other entries.
    ///   - progress: Told how far a run is.
    ///   - sleep: Waits for a time.
    ///   - now: The clock by which a run ends.
    package init(
        _ vault: Vault,
        with connection: ServerConnection,
        beginning: ServerBeginning = ServerBeginning(),
        waiting: WaitingLimit = WaitingLimit(),
        progress: @escaping SyncProgress.Report = { _ in },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.vault = vault
        self.connection = connection
        invitation = beginning.invitation
        isOnce = beginning.isOnce
        pages = beginning.pages[...]
        self.sleep = sleep
        self.now = now
        self.progress = progress
        intake = Intake(vault, waiting)
        state = ServerState(address: connection.address.text)
    }

    /// Syncs once.
    ///
    /// - Returns: What was done.
    /// - Throws: `VaultError` with `locked`, `diskFull` or `unavailable`, and ``ServerError``. What was taken or brought before stays.
    package func run() async throws -> SyncReport {
        var report = SyncReport()
        (beginnings, isChecking, mustCheck) = (0, mustCheck, false)
        (passed, hasPassed, rounds, hasBegunAnew) = (0, false, 0, false)
        do {
            do {
                try await syncWithDropped(&report)
            } catch let error as ServerError where error.code == .hides && !hasReadAgain {
                // The server may have lost entries, and got others in their places before this device looked.
                hasReadAgain = true
                report.beginAgain()
                try readAgain()
                try await syncWithDropped(&report)
            }
            hasReadAgain = false
            // A server takes no such operation without its header, so no device is to blame.
            if report.lacksHeader { throw ServerError(.hides) }
            leastParts = max(1, leastParts / 2)
            report.hasBegunAnew = hasBegunAnew
            return report
        } catch {
            // The next run looks whether the server still has what it had.
            mustCheck = true
            if let error = error as? ServerError { noteFailure(error) }
            // A server that says afterwards that it is busy does not hide what it did before.
            if error is ServerError, report.hasWrongData { throw ServerError(.wrongData) }
            throw error
        }
    }

    /// Makes pages and uploads smaller after one that did not pass.
    func noteFailure(_ error: ServerError) {
        guard error.code == .tooSlow || error.code == .unreachable else { return }
        parts = min(Self.mostParts, parts * 2)
        // A server that was only away says nothing about the size.
        if hasPassed { leastParts = parts }
    }

    /// Notes that a page or an upload passed that was asked for at a time.
    ///
    /// - Parameters:
    ///   - began: The time.
    ///   - isFull: Whether there was more than what passed.
    func notePass(since began: ContinuousClock.Instant, isFull: Bool) {
        pace.note(began.duration(to: now()), isFull: isFull)
        hasPassed = true
        guard parts > leastParts else { return }
        passed += 1
        if passed == Self.passesUntilLarger { (parts, passed) = (parts / 2, 0) }
    }

    /// The entry that proves that the server showed two orders, also if a run found it and then failed.
    package var twoOrders: OrderWitness? { state.twoOrders }

    /// Entries are needed that this device dropped because there were too many, so everything is read again.
    struct NeedsDropped: Error {}

    private func syncWithDropped(_ report: inout SyncReport) async throws {
        while true {
            do { return try await sync(&report) } catch is NeedsDropped {
                rounds += 1
                // The next run goes on.
                guard rounds <= Self.mostRounds else { throw ServerError(.tooSlow) }
                report.beginAgain()
                beginAnew()
            }
        }
    }

    private func sync(_ report: inout SyncReport) async throws {
        try await restore()
        state.count(entriesOf: try await vault.thisDevice())
        if isChecking { intake.forget() }
        // Where this device was before it read or brought anything.
        let known = checkpoint
        // The server would have said if others had brought something. So what this device wrote goes at once.
        // Others' entries may have come from elsewhere.
        if let compared, try await vault.countOfOthers() != compared { self.compared = nil }
        let mustCompare = try await vault.hasQuestion() && compared == nil
        let isUpToDate = isListening && heard == nil && !isChecking && !lacksData && present == nil && !mustCompare
        let goesFirst = isUpToDate ? try await vault.lastOwnSequence() > state.written : false
        let hasBrought = goesFirst ? try await push(&report) : false
        guard mayWrite(report) else { return }
        if !hasBrought {
            do {
                if lacksData, !isChecking { try await pullWithheld(&report) }
                try await pull(from: start, &report)
            } catch let error as ServerError where error.code == .sessionRefused && invitation != nil {
                try await create(&report)
                try await pull(from: 0, &report)
            }
        }
        invitation = nil
        let hasLooked = try await lookAgain(from: known, &report)
        guard mayWrite(report) else { return }
        try await compareForQuestion(&report)
        guard mayWrite(report) else { return }
        isChecking = false
        // What everything was compared for that the server has.
        let compared = present == nil ? nil : try await vault.dataInQuestion()
        if !goesFirst || hasLooked || present != nil {
            guard try await pushAndLook(from: known, &report) else { return }
        }
        // What this device wrote does not wait for that.
        if try await compareForData(after: compared, &report) {
            guard mayWrite(report), try await pushAndLook(from: known, &report) else { return }
        }
        lacksData = !unfilled.isEmpty || report.troubles.contains { if case .withheld = $0 { true } else { false } }
        if let position = order?.position, position != noted {
            try await vault.note(position)
            noted = position
        }
        report.twoOrders = state.twoOrders
        report.room = await connection.room
        self.compared = try await vault.hasQuestion() ? vault.countOfOthers() : nil
        try judge(report)
    }

    /// Brings what the server lacks, and once more if the connection was lost meanwhile.
    ///
    /// - Returns: Whether the sync can go on.
    private func pushAndLook(from number: UInt64, _ report: inout SyncReport) async throws -> Bool {
        try await push(&report)
        guard mayWrite(report) else { return false }
        guard try await lookAgain(from: number, &report) else { return true }
        guard mayWrite(report) else { return false }
        try await push(&report)
        return mayWrite(report)
    }

    /// Reads everything again if there is a question, so that the server gets all sides of it.
    ///
    /// Otherwise what this device writes next names what the server lacks, and brings it. While there is a question it writes nothing,
    /// and a device that has only one side of the question would not be asked.
    private func compareForQuestion(_ report: inout SyncReport) async throws {
        guard present == nil, compared == nil, try await vault.hasQuestion() else { return }
        try await compareAll(&report)
    }

    /// Reads everything again if data is needed that was cleared, or that others may have cleared: what is lacking here may be there, and
    /// what is lacking there is brought.
    ///
    /// - Parameters:
    ///   - compared: What was in question when this run had seen everything that the server has, and brought what it lacks; `nil` if it has
    ///     not.
    ///   - report: What was found.
    /// - Returns: Whether it read again.
    /// - Throws: As ``run()``.
    private func compareForData(after compared: DataInQuestion?, _ report: inout SyncReport) async throws -> Bool {
        guard !isOnce, let question = try await vault.dataInQuestion(), question != searched,
            question.name != state.searched
        else { return false }
        let mustRead = question != compared || !question.lacking.isEmpty
        if mustRead { try await compareAll(&report) }
        searched = try await vault.dataInQuestion()
        // What is lacking still is looked for again after the agent has started anew.
        state.searched = searched.flatMap { $0.lacking.isEmpty ? $0.name : nil }
        if !mustRead { try await keep() }
        return mustRead
    }

    /// Reads again from a number if the connection was lost meanwhile: the server can have been restored from a copy.
    ///
    /// What this device brought to such a server hides what the server lost. So the number is the one from before.
    ///
    /// - Returns: Whether it read again.
    private func lookAgain(from number: UInt64, _ report: inout SyncReport) async throws -> Bool {
        let reconnections = await connection.reconnections
        guard reconnections != seenReconnections else { return false }
        let isNew = !isChecking
        if isNew { try await pull(from: min(number, checkpoint), &report) }
        seenReconnections = reconnections
        return isNew
    }

    /// A device that does not know what it wrote must not write on.
    private func mayWrite(_ report: SyncReport) -> Bool {
        guard report.troubles.contains(.hasOwnEntries) else { return true }
        mustCheck = true
        return false
    }

    /// Waits until the server has entries that this device has not read.
    ///
    /// It returns at once if nothing was read yet. After an error, and after the connection was lost, the next run looks whether the
    /// server still has what it had: a server that is restored from a copy ends the connection, and may have as many entries as before.
    ///
    /// - Throws: As ``run()``, or `CancellationError`.
    package func waitForNews() async throws {
        isListening = true
        defer { isListening = false }
        do {
            while let number = order?.position.number {
                try Task.checkCancellation()
                let asked = ContinuousClock.now
                let page = try await connection.entries(after: number, wait: ServerLimits.wait)
                // The answer can come before the one to an upload of this device, which is no news.
                while isBringing { try await Task.sleep(for: .milliseconds(5)) }
                // The server may have been restored, and got as many entries as before.
                guard await connection.reconnections == seenReconnections else { return mustCheck = true }
                // What this device brought meanwhile is no news.
                guard page.order == order?.position.order, page.head <= order?.position.number ?? 0 else {
                    heard = page
                    return
                }
                // A server that has nothing new and does not wait is not asked again at once.
                if page.head <= number, ContinuousClock.now - asked < .seconds(1) { try await sleep(.seconds(1)) }
            }
        } catch {
            mustCheck = true
            throw error
        }
    }

    /// Removes what a device remembers of its server.
    package static func forget(_ vault: Vault) async throws { try await ServerState.remove(from: vault) }

    // MARK: Beginning

    private func restore() async throws {
        guard !isRestored else { return }
        guard !isOnce else { return (isRestored, present) = (true, []) }
        var found = try await ServerState.read(connection.address.text, from: vault)
        if let position = found.position {
            order = try await ServerOrder(at: position, in: vault)
            // A first reading goes on where it was.
            if !found.isWhole { present = try await order?.readEntries() }
        }
        if order == nil || !found.isWhole && present == nil {
            order = nil
            try await ServerState.remove(from: vault)
            // What was found out about the server stays.
            unfinished = found.position.map { ($0.order, found.comparable) }
            let twoOrders = found.twoOrders
            found = ServerState(address: connection.address.text)
            found.twoOrders = twoOrders
        }
        (state, isRestored) = (found, true)
        if order == nil { present = [] }
    }

    /// The number after which this run reads.
    private var start: UInt64 { isChecking ? checkpoint : order?.position.number ?? 0 }

    /// The number from which everything is looked at again: the last entry is among it, so that another one there is noticed.
    private var checkpoint: UInt64 {
        let last = order?.position.number ?? 0
        return min(state.resume, last == 0 ? 0 : last - 1)
    }

    /// Forgets what was read, because the server has lost entries: everything is read again, and what is missing is brought.
    ///
    /// - Throws: ``ServerError`` with `server_hides_entries` if that happens again and again in one run.
    func readAgain() throws(ServerError) {
        guard beginnings - rounds < Self.mostBeginnings else { throw ServerError(.hides) }
        isBringingBack = order.map { $0.position.number > 0 } ?? false
        hasBegunAnew = hasBegunAnew || isBringingBack
        beginAnew()
    }

    /// Forgets what was read.
    func beginAnew() {
        beginnings += 1
        earlier = order
        heard = nil
        order = nil
        present = []
        withoutData = []
        (untaken, unfilled, lastUnfilled) = ([:], [:], 0)
        intake.forget()
        state.resume = 0
        state.note(written: 0)
        state.hasRoot = false
        state.isWhole = false
    }

    // MARK: Findings

    /// Throws what the server did wrong, after everything else was done.
    private func judge(_ report: SyncReport) throws(ServerError) {
        if report.hasWrongData { throw ServerError(.wrongData) }
        // A server brings each entry after those that it names.
        let hidden = intake.waiting.isEmpty ? [] : report.missing.subtracting(untaken.keys)
        if !hidden.isEmpty { throw ServerError(.hides) }
        if let blocked = report.blocked { throw blocked }
    }
}

extension SyncReport {
    /// Whether entries came that no device wrote so.
    fileprivate var hasWrongData: Bool {
        troubles.contains { trouble in
            switch trouble {
            case .refused, .otherData, .damagedHeader: true
            case .withheld, .lacksHeaderKey, .needsSecretKey, .hasOwnEntries, .removedHere, .headerIsMissing: false
            }
        }
    }
}
