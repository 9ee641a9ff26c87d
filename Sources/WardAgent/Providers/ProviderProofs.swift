internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardText
internal import WardWebAuthn

/// The secret by which the agent proves to a manager that it is the agent.
///
/// Each manager and each agent has a different secret.
///
/// If the agent starts the manager, the manager reads the secret from its standard input. If the manager runs by itself, it
/// reads the secret from a file in the state folder, which no sandbox can see.
final class ProviderProofs: Sendable {
    let folder: String
    private let effects: Effects
    private let proofs = Mutex<[String: String]>([:])

    init(folder: String, effects: Effects) {
        self.folder = folder
        self.effects = effects
    }

    /// The secret for a manager.
    ///
    /// If the manager may run by itself, the secret is now also in its file.
    ///
    /// - Throws: What the disk refuses with.
    func proof(for declaration: ProviderDeclaration) throws -> String {
        try proofs.withLock { proofs in
            if let proof = proofs[declaration.identifier] { return proof }
            let proof = Base64URL.encode(effects.randomBytes(32))
            if declaration.runsByItself {
                try OwnersFile.write(Data(proof.utf8), to: folder + "/" + declaration.identifier)
            }
            proofs[declaration.identifier] = proof
            return proof
        }
    }
}
