internal import Foundation
internal import Synchronization
internal import WardFolders

/// Runs a credential manager that was written for Apple's extension point, so that Ward's agent can use it.
///
/// On Apple's platforms the system finds the subclass of ``ASCredentialProviderViewController`` in the extension's property list and
/// runs it. Here a program does: its declaration (`Documentation/formats/provider.md`) names the program, the agent starts it
/// when it is needed, and the program calls ``run(_:controller:)``.
///
/// ```swift
/// @main struct Extension {
///     static func main() async throws {
///         try await CredentialProviderExtension.run("org.example.Manager") { CredentialProvider() }
///     }
/// }
/// ```
public enum CredentialProviderExtension {
    private static let name = Mutex<String?>(nil)

    /// The manager's identifier, as in its declaration.
    ///
    /// ``ASCredentialIdentityStore`` needs it; ``run(_:controller:)`` sets it.
    ///
    /// It must have 1 to 128 letters, digits, dots, hyphens and underscores, and must not begin with a dot. Any other value is
    /// ignored.
    public static var identifier: String? {
        get { name.withLock { $0 } }
        set {
            guard newValue.map(isIdentifier) ?? true else { return }
            name.withLock { $0 = newValue }
        }
    }

    /// Answers the agent's requests until the agent ends.
    ///
    /// The agent starts the program with the path of a socket as its last argument, and writes a secret to its standard input.
    /// The agent sends the same secret as a proof in its requests. Requests without the proof are refused. Each request gets a
    /// controller of its own.
    ///
    /// - Parameters:
    ///   - identifier: The manager's identifier, as in its declaration.
    ///   - controller: Makes a controller.
    /// - Throws: ``ASExtensionError`` with ``ASExtensionError/Code/failed`` when the agent did not start this program, or when the
    ///   socket cannot be made.
    public static func run(
        _ identifier: String,
        controller: @escaping @MainActor @Sendable () -> ASCredentialProviderViewController
    ) async throws {
        self.identifier = identifier
        let arguments = CommandLine.arguments
        guard isIdentifier(identifier), arguments.count > 1, let path = arguments.last, path.hasPrefix("/"),
            let proof = readLine(), proof.utf8.count >= 16
        else { throw ASExtensionError(.failed) }
        Thread.detachNewThread {
            // When the agent ends, the standard input is closed. The next agent starts a new process.
            while readLine() != nil {}
            unsafe unlink(path)
            exit(0)
        }
        try await ExtensionServer(identifier: identifier, proof: proof, controller: controller).serve(at: path)
    }

    private static func isIdentifier(_ text: String) -> Bool {
        let characters = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")
        return (1...128).contains(text.utf8.count) && text.first != "."
            && text.unicodeScalars.allSatisfy { characters.contains($0) }
    }

    /// The folder `$XDG_STATE_HOME`, or `~/.local/state`.
    static var stateFolder: String { BaseFolders.ofThisProcess.state }

    /// Whether the person enabled the manager.
    ///
    /// The agent's file of enabled managers lists it.
    static var isEnabled: Bool {
        struct Managers: Decodable { var enabled: [String] }
        let path = BaseFolders.ofThisProcess.config + "/ward/providers.json"
        guard let identifier, let data = FileManager.default.contents(atPath: path), data.count <= 64 << 10,
            let managers = try? JSONDecoder().decode(Managers.self, from: data)
        else { return false }
        return managers.enabled.contains(identifier)
    }
}
