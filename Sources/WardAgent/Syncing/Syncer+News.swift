internal import Logging
internal import WardVault
internal import WardWebAuthn

/// What the person is told of the devices of the vault.
extension Syncer {
    /// After so many failures in a row a person may be told for how long nothing was synced.
    private static let failuresUntilSure = 3

    /// Runs a closure that changes the circle on this device, so that the person is not told of their own change.
    func changing<T: Sendable>(_ vault: Vault, _ body: @Sendable () async throws -> T) async rethrows -> T {
        ownChanges += 1
        defer { ownChanges -= 1 }
        let value = try await body()
        if let view = await view(vault), await adopt() === vault {
            // A sync that ran meanwhile may have taken what others did.
            let (news, memory) = CircleMemory.news(since: setting?.memory, view)
            setting?.memory = memory
            await keep(vault)
            for one in news where one != .frozen { await tell(one) }
        }
        return value
    }

    /// The ID of the device that this one was, if a recovery key has made it another one since it remembered its devices.
    func formerDevice(_ vault: Vault) async -> String? {
        guard await adopt() === vault, let own = setting?.memory?.own, let device = try? await vault.thisDevice()
        else { return nil }
        return own == device.text ? nil : own
    }

    private func view(_ vault: Vault) async -> CircleView? {
        guard let circle = try? await vault.circle() else { return nil }
        let now = session.effects.now()
        // The first attempts of a machine that slept come before its network.
        let isSure = schedule.failures >= Self.failuresUntilSure
        let trouble = setting?.trouble.map { CircleView.Trouble(code: $0.code, age: isSure ? now - $0.since : 0) }
        return CircleView(circle, isCopied: isCopied, lacksEntries: setting?.hasLackedLong ?? false, report, trouble)
    }

    func tellNews(_ vault: Vault, _ number: Int) async {
        guard ownChanges == 0, let view = await view(vault), current == number, setting != nil else { return }
        let (news, memory) = CircleMemory.news(since: setting?.memory, view)
        setting?.memory = memory
        mayHaveNews = false
        // It is written first, so that nothing is told twice.
        await keep(vault)
        for one in news { await tell(one) }
    }

    func tell(_ news: CircleNews) async {
        logger.notice("the devices changed", metadata: ["what": "\(news.word)"])
        await session.asking.notify(title: news.title, text: news.text)
    }
}
