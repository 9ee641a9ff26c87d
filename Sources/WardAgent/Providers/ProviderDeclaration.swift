internal import Foundation
internal import WardAgentClient

/// The declaration file of a credential manager.
struct ProviderDeclaration: Hashable, Sendable {
    let identifier: String
    /// The name for display.
    let name: String
    let capabilities: ProviderCapabilities
    /// Whether the credential manager verifies its person itself.
    let verifiesUser: Bool
    /// The WebAuthn extensions that the manager's passkeys support.
    let extensions: Set<Extension>
    /// The path of the manager's socket.
    let socket: String
    /// The command that starts the manager if nothing listens at the socket.
    let program: [String]?
    /// Whether the manager can run without being started by the agent.
    let runsByItself: Bool
    /// The path of the declaration.
    let path: String
    /// The reason why the manager cannot be used.
    let problem: String?

    /// A WebAuthn extension.
    ///
    /// Unknown extensions are ignored.
    enum Extension: String, Sendable {
        case prf, largeBlob
    }

    /// The maximum size of a declaration, in bytes.
    static let maximumSize = 64 << 10
    /// The maximum number of declarations per folder.
    static let maximumCount = 64
    /// The maximum length of a Unix socket's path.
    static let maximumSocketPath = 107

    private struct File: Decodable {
        var version: Int
        var identifier: String
        var name: String
        var socket: String?
        var program: [String]?
        var verifiesUser: Bool?
        var extensions: [String]?
        // swift-format-ignore: AlwaysUseLowerCamelCase
        var ASCredentialProviderExtensionCapabilities: [String: Bool]
    }

    /// The declarations in all folders, ordered by file name.
    ///
    /// Of several with the same identifier, only the first is used; the person's own files come first.
    static func all(_ paths: ProviderPaths) -> [ProviderDeclaration] {
        var found: [ProviderDeclaration] = []
        for folder in paths.declarations {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted().filter({ $0.hasSuffix(".json") }).prefix(maximumCount) {
                guard let declaration = ProviderDeclaration(at: folder + "/" + name, paths),
                    !found.contains(where: { $0.identifier == declaration.identifier })
                else { continue }
                found.append(declaration)
            }
        }
        return found
    }

    /// Reads a declaration.
    ///
    /// It is `nil` if the file has nothing that a list can show.
    init?(at path: String, _ paths: ProviderPaths) {
        self.path = path
        let fallback = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        func broken(_ problem: String) -> (String, String) { (fallback, problem) }
        do {
            let file = try Self.read(path)
            let socket = try Self.socket(file, paths)
            var capabilities: ProviderCapabilities = []
            for (name, capability) in ProviderCapabilities.names
            where file.ASCredentialProviderExtensionCapabilities[name] == true {
                capabilities.insert(capability)
            }
            identifier = file.identifier
            name = file.name.cleanedForPrompt
            self.capabilities = capabilities
            verifiesUser = file.verifiesUser ?? false
            extensions = Set((file.extensions ?? []).compactMap { Extension(rawValue: $0) })
            self.socket = socket
            program = file.program
            runsByItself = file.socket != nil
            problem = nil
        } catch {
            guard Self.isIdentifier(fallback), fallback != VaultProvider.identifier else { return nil }
            identifier = fallback
            name = fallback
            capabilities = []
            verifiesUser = false
            extensions = []
            socket = ""
            program = nil
            runsByItself = false
            problem = error.message
        }
    }

    private static func read(_ path: String) throws(AgentError) -> File {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumSize else {
            throw AgentError(.invalidValue, "\(path) is not a file of at most 64 KiB")
        }
        // A person who can write the file decides which program runs as this user.
        guard status.st_uid == getuid() || status.st_uid == 0 else {
            throw AgentError(.invalidValue, "\(path) belongs to another user. It must belong to you or to root")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw AgentError(.invalidValue, "other users can write \(path). Forbid it: chmod go-w \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let file = try? JSONDecoder().decode(File.self, from: data)
        else {
            throw AgentError(.invalidValue, "\(path) is not a declaration of a credential manager")
        }
        guard file.version == 1 else {
            throw AgentError(
                .invalidValue,
                "\(path) has version \(file.version), but this Ward knows only version 1: update Ward"
            )
        }
        guard isIdentifier(file.identifier), file.identifier != VaultProvider.identifier else {
            throw AgentError(
                .invalidValue,
                "the identifier in \(path) must be 1 to 128 letters, digits, dots, hyphens and underscores, and must not be "
                    + "ward"
            )
        }
        guard !file.name.cleanedForPrompt.isEmpty else { throw AgentError(.invalidValue, "\(path) has no name") }
        return file
    }

    private static func socket(_ file: File, _ paths: ProviderPaths) throws(AgentError) -> String {
        if let program = file.program {
            guard let first = program.first, first.hasPrefix("/"), program.count <= 64,
                program.allSatisfy({ $0.utf8.count <= 4096 && !$0.utf8.contains(0) })
            else { throw AgentError(.invalidValue, "program must be an absolute path and at most 63 arguments") }
        }
        guard file.socket != nil || file.program != nil else {
            throw AgentError(.invalidValue, "a declaration must have a socket, a program, or both")
        }
        let named = file.socket ?? "ward/providers/\(file.identifier).sock"
        let socket = named.hasPrefix("/") ? named : paths.runtime + "/" + named
        guard socket.utf8.count <= maximumSocketPath, !socket.utf8.contains(0) else {
            throw AgentError(
                .invalidValue,
                "the path of the provider's socket has more than \(maximumSocketPath) bytes"
            )
        }
        let folder = URL(fileURLWithPath: socket).deletingLastPathComponent().standardizedFileURL.path
        guard folder != paths.apps else {
            throw AgentError(
                .invalidValue,
                "Sandboxed apps can open sockets in \(paths.apps). Use a socket in another folder."
            )
        }
        return socket
    }

    /// Whether a text can be an identifier.
    ///
    /// The identifier becomes part of a file name.
    static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.first != "."
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x2d || byte == 0x2e || byte == 0x5f
            }
    }
}
