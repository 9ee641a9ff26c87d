internal import Logging
internal import WardAgentClient
internal import WardVault

extension Agent {
    func emptyTrash(_ method: EmptyTrash, _ caller: AgentCaller) async throws -> EmptyTrash.Result {
        try await working {
            let vault = try await opened(method.authorization, caller, purpose: "empty the trash")
            return EmptyTrash.Result(removed: try await vault.emptyTrash())
        }
    }

    /// Removes for good what has been in the trash for thirty days, soon after unlocking and then once an hour.
    func emptyExpiredTrash() async {
        guard let vault = current, await !vault.isLocked else {
            trashCheckedAt = nil
            return
        }
        if let trashCheckedAt, trashCheckedAt.duration(to: .now) < .seconds(3600) { return }
        let removed = (try? await vault.emptyExpiredTrash()) ?? 0
        trashCheckedAt = .now
        guard removed > 0 else { return }
        logger.notice("the trash was emptied of what lay there for thirty days", metadata: ["items": "\(removed)"])
    }
}
