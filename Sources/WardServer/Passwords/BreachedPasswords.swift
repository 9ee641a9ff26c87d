import WardDownload
import WardPasswords

/// The source of passwords from data breaches with which new passwords are compared.
enum BreachedPasswords: Sendable {
    case file(BreachedPasswordFile)
    case range(BreachedPasswordRange)

    /// Reads the setting: the path of a file, or an address.
    ///
    /// - Throws: ``ServerConfigurationError`` if the file or the address cannot be used.
    init(_ setting: String) throws(ServerConfigurationError) {
        do throws(BreachedPasswordError) {
            self =
                if setting.contains("://") { try .range(BreachedPasswordRange(setting)) } else {
                    try .file(BreachedPasswordFile(setting))
                }
        } catch { throw ServerConfigurationError(error.description) }
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
        case .file(let file): return try await queue.perform(for: client) { try file.contains(password) }
        case .range(let range):
            let hash = BreachedPasswordHash(password)
            let list = try await Self.download.document(at: range.address(of: hash.prefix))
            return try BreachedPasswordRange.counts(of: [hash], in: list) != [0]
        }
    }

    /// A person waits for the answer, so the time limit is short.
    private static let download: BoundedDownload = {
        var download = BoundedDownload(maximumSize: BreachedPasswordRange.maximumSize, timeout: .seconds(3))
        download.accept = "text/plain"
        download.isAccepted = { $0 == "text/plain" }
        // With padding, an eavesdropper cannot conclude from the length of the answer which digits were sent.
        download.headers = ["add-padding": "true", "user-agent": "ward-server"]
        return download
    }()
}
