import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Renames a vault.
struct VaultRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename a vault. It is locked first."
    )

    @Argument(
        help: ArgumentHelp("Name of the vault.", valueName: "name"),
        completion: .custom { _, _, _ in VaultLocation.all().map(\.name.description) }
    )
    var name: String
    @Argument(help: ArgumentHelp("Its new name.", valueName: "new-name"))
    var newName: String
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let (old, new) = try (VaultChoice(named: name, by: "NAME"), VaultChoice(named: newName, by: "NEW-NAME"))
        guard !old.name.isStandard, !new.name.isStandard else {
            throw Failure(.usage, "The default vault keeps its name and its place. Rename another one: ward vault list")
        }
        _ = try old.existing()
        let manager = FileManager.default
        if let taken = [new.location.directory, new.location.stateDirectory].first(where: {
            manager.fileExists(atPath: $0)
        }) {
            throw Failure(.conflict, "\(new.name) is taken: \(Paths.short(taken)) exists. Choose another name")
        }
        if old.paths.hasAgent { try await AgentCommand.end(old) }
        do {
            // Held until the end: no agent starts meanwhile.
            let claim = try AgentRecord.claim(beside: old.location.database)
            defer { withExtendedLifetime(claim) {} }
            guard claim != nil else { throw Failure(.unavailable, "An agent has the vault \(old.name). Try again") }
            try Self.move(old.location, to: new.location)
        } catch let error as AgentError { throw Failure(error) }
        if json { return try Output.json(["name": new.name.description, "vault": new.location.database]) }
        Output.lines(["The vault \(old.name) is now \(new.name): \(Paths.short(new.location.database))"])
    }

    /// Moves both folders of a vault, or none.
    private static func move(_ old: VaultLocation, to new: VaultLocation) throws(Failure) {
        let manager = FileManager.default
        do {
            try manager.moveItem(atPath: old.directory, toPath: new.directory)
            guard manager.fileExists(atPath: old.stateDirectory) else { return }
            do {
                try manager.moveItem(atPath: old.stateDirectory, toPath: new.stateDirectory)
            } catch {
                try? manager.moveItem(atPath: new.directory, toPath: old.directory)
                throw error
            }
        } catch {
            throw Failure(.failed, "The vault cannot be moved to \(new.directory). Check the permissions of its folder")
        }
    }
}
