internal import Foundation
internal import WardAgentClient
internal import WardVault

/// The recovery key.
struct RecoveryMethods: Sendable {
    let session: VaultSession
    let syncer: Syncer

    func check(_ method: CheckRecoveryKey) async throws -> CheckRecoveryKey.Result {
        try await session.working {
            let key = try RecoveryKey(given: method.recoveryKey)
            let vault = try await session.file()
            guard try await vault.confirm(key) else { return CheckRecoveryKey.Result(isRight: false) }
            guard await !vault.isProven else { return CheckRecoveryKey.Result(isRight: true, isProven: true) }
            let outline = try await vault.outline(with: key)
            return CheckRecoveryKey.Result(
                isRight: true,
                isProven: false,
                items: outline.items,
                changedAt: outline.changedAt
            )
        }
    }

    func replace(_ method: ReplaceRecoveryKey, _ program: ManagerProgram) async throws -> ReplaceRecoveryKey.Result {
        try await session.working {
            let vault = try await session.opened(
                method.authorization,
                .person(program),
                to: .makeRecoveryKey
            )
            // In a circle of devices, the passphrase itself is needed.
            let key = try await session.withPassphrase(
                method.authorization,
                .person(program),
                to: .makeRecoveryKey
            ) { passphrase in
                try await self.session.onceMore {
                    try await vault.verify(passphrase)
                    return try await vault.replaceRecoveryKey(passphrase)
                }
            }
            return ReplaceRecoveryKey.Result(recoveryKey: key.text)
        }
    }

    func recover(_ method: Recover) async throws -> Recover.Result {
        try await session.working {
            // Wrong recovery keys are not counted, because a recovery key cannot be guessed.
            let vault = try await session.file()
            let key = try RecoveryKey(given: method.recoveryKey)
            // The person is not told that the device was added which this one was.
            let former: String? = try await syncer.changing(vault) {
                do {
                    try await vault.recover(
                        with: key,
                        newPassphrase: try Passphrase(method.passphrase),
                        trusting: method.trustsFile ? .thisFile : .known,
                        acceptingUnproven: method.trustsUnproven ?? false
                    )
                } catch let error as VaultError where error.code == .unprovenVault {
                    let outline = Self.sentence(try await vault.outline(with: key))
                    throw VaultError(.unprovenVault, "\(error.detail). \(outline)")
                }
                if let former = await vault.formerDevice { return former.text }
                return await syncer.formerDevice(vault)
            }
            session.asking.attempts.forget()
            let isInCircle = await vault.hasInCircle(former)
            return Recover.Result(
                isNewDevice: former == nil ? nil : true,
                formerDevice: isInCircle ? former : nil
            )
        }
    }

    private static func sentence(_ outline: VaultOutline) -> String {
        let day = Date(timeIntervalSince1970: TimeInterval(outline.changedAt)).formatted(.iso8601.year().month().day())
        return "It has \(outline.items) item\(outline.items == 1 ? "" : "s") and was last changed on \(day)"
    }
}

extension Vault {
    /// Whether a device is in the circle still, by its ID.
    func hasInCircle(_ device: String?) -> Bool {
        guard let device, let overview = try? circle() else { return false }
        return overview.devices.contains { $0.id.text == device && $0.status != .removed }
    }
}

extension RecoveryKey {
    /// Reads the recovery key in a request.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    init(given text: String) throws(AgentError) {
        do {
            try self.init(text: text)
        } catch {
            throw AgentError(.invalidValue, "\(error)")
        }
    }
}
