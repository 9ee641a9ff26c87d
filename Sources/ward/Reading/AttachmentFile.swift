import Foundation
import WardAgentClient
import WardTerminal
import WardText
import WardVault

/// A file that a person attaches to an item.
enum AttachmentFile {
    /// Reads files in the form for the agent.
    ///
    /// - Parameters:
    ///   - sources: Paths; `-` is standard input, which needs a name.
    ///   - name: The name of the attachment; `nil` for the file's name. For one file only.
    ///   - type: The media type; `nil` for what the name's extension says.
    /// - Returns: The files, or `nil` if there are none.
    /// - Throws: ``Failure``, or `AgentError` with `attachment_too_large`.
    static func read(_ sources: [String], name: String? = nil, type: String? = nil) throws -> [NewAttachment]? {
        guard !sources.isEmpty else { return nil }
        guard name == nil || sources.count == 1 else {
            throw Failure(.usage, "--name is for one file. Attach the files one at a time")
        }
        var total = 0
        let files = try sources.map { source in
            guard source != "-" || name != nil else {
                throw Failure(
                    .usage,
                    "Standard input has no name. Give the attachment a name: ward attach ITEM - --name NAME"
                )
            }
            let content = try content(source)
            total += content.count
            guard total <= NewAttachment.maximumAtOnce else {
                throw Failure(
                    .usage,
                    "These files have more than 2 MiB together. Attach them one after the other: ward attach"
                )
            }
            let name = name ?? URL(fileURLWithPath: source).lastPathComponent
            return NewAttachment(name: name, type: type ?? MediaType.of(name), content: Base64URL.encode(content))
        }
        return files
    }

    private static func content(_ source: String) throws -> [UInt8] {
        let limit = Attachment.maximumSize
        guard let content = try NamedFile.read(source, atMost: limit) else {
            throw AgentError(
                .init(rawValue: VaultError.Code.attachmentTooLarge.name),
                "\(source) is larger than \(SizeText.of(limit)), and an attachment cannot be larger"
            )
        }
        return content
    }
}
