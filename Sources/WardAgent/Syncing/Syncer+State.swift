internal import WardAgentClient
internal import WardSync
internal import WardVault

extension Syncer {
    /// The largest number of warnings in a state.
    private static let mostWarnings = 20

    /// The state of the sync; nothing is asked and nothing is read from the folder.
    func state() async -> SyncState {
        guard let vault = await adopt() else {
            var state = SyncState(isLocked: unreadable == nil)
            state.needs = unreadable.map { [SyncState.Notice($0)] }
            state.progress = joining.state
            return state
        }
        do {
            return state(try await vault.circle(), vault.id.text)
        } catch {
            var state = SyncState(isLocked: await vault.isLocked, isOn: setting != nil)
            state.needs = state.isLocked ? nil : [SyncState.Notice(error)]
            return state
        }
    }

    private func state(_ circle: CircleOverview?, _ id: String) -> SyncState {
        var state = SyncState(isLocked: false, isOn: setting != nil, isRunning: isRunning)
        if isRunning { state.progress = progress.state }
        if let circle {
            state.members = circle.devices.count { $0.status == .member || $0.status == .disputed }
        }
        var moves = setting.flatMap { setting in circle.map { Move.open($0.moves, setting) } } ?? []
        // One that this device makes now needs nobody.
        if ownChanges > 0 { moves.removeAll { !$0.own.isEmpty } }
        let needs = SyncState.Notice.needs(
            circle,
            setting?.trouble,
            report,
            moves: moves,
            lacksEntries: setting?.hasLackedLong ?? false
        )
        state.needs = needs.isEmpty ? nil : needs
        guard let setting else { return state }
        state.folder = setting.folder
        state.server = setting.server?.text
        state.vaultID = setting.server.map { _ in id }
        state.since = setting.since
        state.lastSuccess = setting.lastSuccess
        state.nextIn = secondsLeft
        if let trouble = setting.trouble {
            state.trouble = SyncState.Notice(code: trouble.code, message: trouble.message)
            state.troubleSince = trouble.since
        }
        if let report {
            var warnings =
                report.folderTroubles.map(\.description) + ExchangeReport.Trouble.sentences(report.troubles)
                + report.serverTroubles.map(\.detail)
            if let more = ExchangeReport.Trouble.sentence(moreRefused: report.moreRefused) {
                warnings.insert(more, at: 0)
            }
            state.warnings = warnings.isEmpty ? nil : Array(warnings.prefix(Self.mostWarnings))
            state.missing = report.missing.isEmpty ? nil : report.missing.count
        }
        return state
    }
}
