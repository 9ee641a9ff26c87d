internal import WardText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Writes each message into a folder, as a file whose name ends in `.eml`, for first steps and tests.
package struct FolderTransport: MailTransport {
    private let folder: String

    /// - Parameter folder: The path of the folder, which is made when it is needed.
    package init(_ folder: String) { self.folder = folder }

    /// Writes a message.
    ///
    /// Only the user of the service can read it.
    package func send(_ message: MailMessage) async throws(MailFailure) {
        let name = "\(folder)/\(message.time)-\(Hex.encode(message.id)).eml"
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // A file of this name is the same message, written at a try before.
            try Data(message.bytes).write(to: URL(filePath: name), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: name)
        } catch {
            throw MailFailure("the folder for messages cannot be written")
        }
    }
}
