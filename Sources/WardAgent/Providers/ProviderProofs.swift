internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardText
internal import WardWebAuthn

/// What the agent proves to a manager that it is the agent: a secret for each manager, another one for each agent.
///
/// A manager that the agent starts reads the secret from its standard input; one that runs by itself reads it from a file in
/// the state folder, which no sandbox sees.
final class ProviderProofs: Sendable {
    let folder: String
    private let effects: Effects
    private let proofs = Mutex<[String: String]>([:])

    init(folder: String, effects: Effects) {
        self.folder = folder
        self.effects = effects
    }

    /// The proof for a manager, which is in its file by now if the manager may run by itself.
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
