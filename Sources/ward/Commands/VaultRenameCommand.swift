import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

struct VaultRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename a vault. ward locks the vault first."
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
            throw Failure(.usage, "The default vault cannot be renamed. To see the other vaults: ward vault list")
        }
        _ = try old.existing()
        let manager = FileManager.default
        // If an earlier rename was interrupted, the state folder already has the new name. The same command then continues.
        let goesOn = Self.beginner(of: new.location) == old.name.description
        if let taken = [new.location.directory, new.location.stateDirectory].first(where: {
            manager.fileExists(atPath: $0) && !(goesOn && $0 == new.location.stateDirectory)
        }) {
            throw Failure(.conflict, "\(new.name) is taken: \(Paths.short(taken)) exists. Choose another name")
        }
        if old.paths.hasAgent { try await AgentCommand.end(old) }
        do {
            // The lock is held until the end, so that no agent starts in the meantime.
            let claim = try AgentRecord.claim(beside: old.location.database)
            defer { withExtendedLifetime(claim) {} }
            guard claim != nil else {
                throw Failure(.unavailable, "An agent is using the vault \(old.name). Try again")
            }
            try Self.move(old.location, to: new.location, from: old.name.description)
        } catch let error as AgentError { throw Failure(error) }
        if json { return try Output.json(["name": new.name.description, "vault": new.location.database]) }
        Output.lines(["The vault \(old.name) is now \(new.name): \(Paths.short(new.location.database))"])
    }

    /// Moves both folders of a vault.
    ///
    /// If that fails, neither is moved.
    ///
    /// The state folder is moved first. If the rename is interrupted, the vault still has its old name, and the same command
    /// continues.
    private static func move(_ old: VaultLocation, to new: VaultLocation, from name: String) throws(Failure) {
        let manager = FileManager.default
        do {
            if manager.fileExists(atPath: old.stateDirectory) {
                try Data(name.utf8).write(to: URL(filePath: old.stateDirectory + "/" + marker))
                try manager.moveItem(atPath: old.stateDirectory, toPath: new.stateDirectory)
            }
            do {
                try manager.moveItem(atPath: old.directory, toPath: new.directory)
            } catch {
                try? manager.moveItem(atPath: new.stateDirectory, toPath: old.stateDirectory)
                try? manager.removeItem(atPath: old.stateDirectory + "/" + marker)
                throw error
            }
            try? manager.removeItem(atPath: new.stateDirectory + "/" + marker)
        } catch {
            throw Failure(.failed, "The vault cannot be moved to \(new.directory). Check the permissions of its folder")
        }
    }

    /// A file in the state folder of a vault that is being renamed.
    ///
    /// It contains the old name.
    private static let marker = "renamed-from"

    /// The old name of a vault whose state folder was moved by a rename that did not finish.
    private static func beginner(of location: VaultLocation) -> String? {
        FileManager.default.contents(atPath: location.stateDirectory + "/" + marker)
            .map { String(decoding: $0.prefix(256), as: UTF8.self) }
    }
}
