internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardVault

/// Saves the readable items of a damaged vault.
struct SalvageMethods: Sendable {
    let session: VaultSession

    func salvage(_ method: SalvageVault, _ program: ManagerProgram) async throws -> SalvageVault.Result {
        try await session.working {
            if let folder = method.folder { try Self.check(folder) }
            let vault = try await damagedFile()
            let (found, passphrase) = try await read(vault, method, program)
            let titles = Dictionary(found.items.map { ($0.id, $0.title) }) { first, _ in first }
            var result = SalvageVault.Result(
                complete: found.items.count - found.outdated.count,
                outdated: found.outdated.map { .init(id: $0.text, title: titles[$0]) },
                lost: found.lost.map { .init(id: $0.text, title: found.lostTitles[$0]) },
                damagedEntries: found.damagedEntries
            )
            if !found.lostAttachments.isEmpty {
                result.withoutAttachments = found.lostAttachments.keys.sorted().map {
                    .init(id: $0.text, title: titles[$0])
                }
            }
            if !found.withoutConflicts.isEmpty {
                result.withoutConflicts = found.withoutConflicts.map { .init(id: $0.text, title: titles[$0]) }
            }
            guard let folder = method.folder else { return result }
            guard let passphrase else { throw AgentError(.invalidValue, "The new vault needs a passphrase") }
            let location = VaultLocation(directory: folder, stateDirectory: folder + "/state")
            do {
                let (made, recoveryKey) = try await Vault.create(
                    at: location,
                    passphrase: passphrase,
                    holding: found,
                    effects: session.effects
                )
                try await made.close()
                result.newRecoveryKey = recoveryKey.text
            } catch {
                // If something fails, the incomplete new vault is removed, so that nobody takes it for a complete one.
                try? FileManager.default.removeItem(atPath: folder)
                throw error
            }
            // The device that uses the new vault creates its own device files.
            try? FileManager.default.removeItem(atPath: location.stateDirectory)
            result.vault = location.database
            result.secretKey = location.secretKey
            return result
        }
    }

    /// The damaged vault's file.
    ///
    /// At least its header must be readable.
    private func damagedFile() async throws -> Vault {
        do {
            return try await session.file()
        } catch let error as VaultError where error.code == .damaged {
            throw AgentError(
                .init(rawValue: error.code.name),
                "The beginning of the vault's file is damaged. It contains the encrypted keys, so no item can be read. "
                    + "Restore your last backup"
            )
        }
    }

    private static func check(_ folder: String) throws(AgentError) {
        guard folder.hasPrefix("/") else { throw AgentError(.invalidValue, "The folder must be an absolute path") }
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw AgentError(
                .conflict,
                "\(folder) exists already. Choose a folder that does not exist yet: --to FOLDER"
            )
        }
    }

    /// The readable items, and the passphrase of the new vault.
    private func read(
        _ vault: Vault,
        _ method: SalvageVault,
        _ program: ManagerProgram
    ) async throws -> (Salvage, Passphrase?) {
        if let text = method.recoveryKey {
            let found = try await vault.salvage(
                with: try RecoveryKey(given: text),
                acceptingUnproven: method.trustsUnproven ?? false
            )
            return (found, try method.passphrase.map { try Passphrase($0) })
        }
        if let text = method.authorization.passphrase {
            let passphrase = try Passphrase(text)
            return (
                try await session.asking.attempts.trying(.program) { try await vault.salvage(with: passphrase) },
                passphrase
            )
        }
        guard method.authorization.mayPrompt else {
            throw AgentError(.locked, "The passphrase is needed: add --passphrase-fd")
        }
        try await vault.checkSecretKey()
        return try await session.asking.inTurn(.person(program)) { turn in
            let answer = Mutex<(Salvage, Passphrase)?>(nil)
            try await turn.passphrase(Question([.saveDamagedVault], agree: .save)) { typed in
                let passphrase = try Passphrase(utf8: typed)
                let found = try await vault.salvage(with: passphrase)
                answer.withLock { $0 = (found, passphrase) }
            }
            guard let (found, passphrase) = answer.withLock({ $0 }) else {
                throw AgentError(.denied, "The prompt was closed")
            }
            return (found, passphrase)
        }
    }
}
