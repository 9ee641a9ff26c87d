import ArgumentParser
import Foundation
import WardAgentClient

/// The passphrase for what only the owner of a vault may do, also while the vault is open.
struct OwnerPassphrase {
    /// The passphrase from the file descriptor.
    private let given: String?
    private let mayAsk: Bool

    /// Reads the file descriptor, which is possible only once.
    init(_ options: AgentOptions) throws {
        given = try options.passphrase()
        mayAsk = !options.noPrompt
    }

    /// The authorization for requests that need the open vault.
    var authorization: Authorization { Authorization(passphrase: given, mayPrompt: mayAsk) }

    /// Runs a closure with the passphrase.
    ///
    /// After a wrong one, a person is asked again.
    ///
    /// - Throws: ``Failure`` when nobody can be asked; what the closure throws.
    func use<T>(_ body: (String) async throws -> T) async throws -> T {
        if let given { return try await body(given) }
        guard mayAsk else { throw Failure(.usage, "The passphrase is needed for this: add --passphrase-fd") }
        while true {
            let typed = String(decoding: try Question.secret("Passphrase: "), as: UTF8.self)
            do { return try await body(typed) } catch let error as AgentError where error.code == .wrongPassphrase {
                Terminal.note("  Wrong passphrase. Type it again:")
            }
        }
    }
}
