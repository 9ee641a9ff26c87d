/// The source of passwords from data breaches with which new passwords are compared.
enum BreachedPasswords: Sendable {
    case file(BreachedPasswordFile)
    case range(BreachedPasswordRange)

    /// Reads the setting: the path of a file, or an address.
    ///
    /// - Throws: ``ServerConfigurationError`` if the file or the address cannot be used.
    init(_ setting: String) throws(ServerConfigurationError) {
        self =
            if setting.contains("://") { try .range(BreachedPasswordRange(setting)) } else {
                try .file(BreachedPasswordFile(setting))
            }
    }

    /// Whether a password is known from a data breach.
    ///
    /// A file is read on a password thread.
    func contains(
        _ password: [UInt8],
        _ queue: PasswordQueue,
        for client: PasswordQueue.Client
    ) async throws -> Bool {
        switch self {
        case .file(let file): try await queue.perform(for: client) { try file.contains(password) }
        case .range(let range): try await range.contains(password)
        }
    }
}
