import ArgumentParser
import Foundation
import WardVault

/// A question before something that cannot be undone.
enum Confirmation {
    /// Returns if the person agrees, now or with an option on the command line.
    ///
    /// - Throws: ``Failure`` with `denied` for a no, with `usage` when nobody can be asked.
    static func ask(_ question: String, isGiven: Bool, _ options: AgentOptions) throws {
        if isGiven { return }
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "Cannot ask for confirmation here: add --yes")
        }
        let vault = try options.vault().name
        let place = vault.isStandard ? "" : "Vault \(vault): "
        guard try Question.confirm(place + question) else { throw Failure(.denied, "Nothing was changed") }
    }
}
