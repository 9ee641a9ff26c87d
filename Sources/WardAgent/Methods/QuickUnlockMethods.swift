internal import WardAgentClient

/// The PIN that opens the vault with the TPM.
struct QuickUnlockMethods: Sendable {
    let session: VaultSession

    /// The state of quick unlock.
    ///
    /// It contains no secret, and no prompt appears.
    func status() async -> QuickUnlockStatus.Result {
        let vault = session.hasVault ? try? await session.file() : nil
        return QuickUnlockStatus.Result(
            isOn: vault.map { session.quickUnlock.isOn($0) } ?? false,
            isReady: vault.map { session.quickUnlock.isReady($0) } ?? false,
            problem: await session.quickUnlock.problem()?.message
        )
    }

    func switched(_ method: SwitchQuickUnlock, _ program: ManagerProgram) async throws -> Done {
        try await session.working {
            guard let text = method.pin else {
                // This request opens nothing, so no prompt appears.
                try await session.quickUnlock.switchOff()
                return Done()
            }
            let pin = try PIN(new: text.utf8)
            let vault = try await session.openedByOwner(
                method.authorization,
                .person(program),
                to: .switchQuickUnlockOn
            )
            try await session.quickUnlock.switchOn(vault, pin)
            return Done()
        }
    }
}
