internal import Logging
internal import WardAgentClient
internal import WardText
internal import WardVault

/// Hands everything in the vault to a manager program that writes a file of it.
struct ExportMethods: Sendable {
    let session: VaultSession
    let logger: Logger
    let clock: @Sendable () -> ContinuousClock.Instant

    /// The bytes of items and attachments in one answer.
    private static let size = 1 << 20

    func begin(_ method: BeginExport, _ program: ManagerProgram) async throws -> BeginExport.Result {
        try await session.working {
            let file = CleanText.label(method.format)
            let vault = try await session.openedByOwner(
                method.authorization,
                .person(program),
                to: .exportItems,
                page: [method.isSealed ? .leavesSealed(file: file) : .leavesPlain(file: file)]
            )
            let items = try await vault.summaries().map(\.id)
            let inTrash = try await vault.summaries(inTrash: true).count
            program.exports.allow(items, at: clock())
            logger.notice(
                "an export of the vault was allowed",
                metadata: ["by": "\(program.peer.description)", "format": "\(file)"]
            )
            return BeginExport.Result(items: items.count, inTrash: inTrash)
        }
    }

    func next(_ program: ManagerProgram) async throws -> FetchExport.Result {
        try await session.working {
            var queue = try program.exports.take(at: clock())
            let vault = try await session.file()
            guard await !vault.isLocked else { throw AgentError(.locked, "the vault was locked during the export") }
            let result = try await Self.pieces(of: vault, &queue)
            program.exports.put(queue, at: clock())
            return result
        }
    }

    /// The next items and attachments, as many as one message can have.
    private static func pieces(
        of vault: Vault,
        _ queue: inout ExportStage.Queue
    ) async throws -> FetchExport.Result {
        var (pieces, unreadable, room): ([FetchExport.Piece], [String], Int) = ([], [], size)
        while true {
            if let (id, attachment) = queue.attachments.last {
                guard attachment.size <= room || pieces.isEmpty else { break }
                queue.attachments.removeLast()
                // The program names an attachment whose content it does not get.
                guard let content = await content(of: attachment, in: id, vault) else { continue }
                pieces.append(FetchExport.Piece(attachment: attachment.id.text, content: content))
                room -= attachment.size
            } else if let id = queue.items.last {
                guard let item = try await item(id, vault) else {
                    unreadable.append(id.text)
                    queue.items.removeLast()
                    continue
                }
                let encoded = Base64URL.encode(try item.encoded())
                guard encoded.utf8.count <= room || pieces.isEmpty else { break }
                queue.items.removeLast()
                pieces.append(FetchExport.Piece(item: encoded))
                room -= encoded.utf8.count
                queue.attachments = item.attachments.reversed().map { (id, $0) }
            } else {
                break
            }
        }
        return FetchExport.Result(pieces: pieces, unreadable: unreadable, isComplete: queue.isEmpty)
    }

    /// The content of an attachment in base64url, or `nil` if it cannot be read.
    private static func content(of attachment: Attachment, in item: ItemID, _ vault: Vault) async -> String? {
        do {
            var content = try await vault.content(of: attachment, in: item)
            defer { content.wipe() }
            return Base64URL.encode(content)
        } catch {
            return nil
        }
    }

    /// An item, or `nil` if it is damaged or was removed in the meantime.
    private static func item(_ id: ItemID, _ vault: Vault) async throws -> Item? {
        do {
            return try await vault.item(id)
        } catch {
            guard error.code != .locked else { throw error }
            return nil
        }
    }
}
