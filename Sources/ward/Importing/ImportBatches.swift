import WardAgentClient
import WardText
import WardVault

/// The items of a file in messages for the agent, each of which is shorter than the limit of a message.
struct ImportBatches: Sendable {
    /// The bytes of items and attachments in one message.
    ///
    /// The largest attachment fits in, and base64 makes it a third longer.
    private static let size = 1 << 20

    private let items: [Item]

    /// - Throws: ``Failure`` if an item is too large.
    init(_ items: [Item]) throws(Failure) {
        self.items = items
        for item in items where item.attachments.count > Attachment.maximumCount {
            throw Failure(
                .conflict,
                "\(Table.clean(item.title)) has more than \(Attachment.maximumCount) attachments. Nothing was imported"
            )
        }
    }

    /// Hands the items over.
    func send(to agent: AgentClient, _ progress: ProgressLine) async throws {
        var (pieces, size, begins): ([StageImport.Piece], Int, Bool) = ([], 0, true)
        func flush() async throws {
            _ = try await agent.call(StageImport(begins: begins, pieces: pieces))
            (pieces, size, begins) = ([], 0, false)
        }
        for (index, item) in items.enumerated() {
            var bare = item
            bare.attachments = []
            let encoded: [UInt8]
            do { encoded = try bare.encoded() } catch {
                throw Failure(.conflict, "\(Table.clean(item.title)): \(error.detail). Nothing was imported")
            }
            if size + encoded.count > Self.size, !pieces.isEmpty { try await flush() }
            pieces.append(StageImport.Piece(item: Base64URL.encode(encoded)))
            size += encoded.count
            for attachment in item.attachments {
                if size + attachment.size > Self.size, !pieces.isEmpty { try await flush() }
                let content = attachment.withAddedContent { Base64URL.encode($0) } ?? ""
                let file = NewAttachment(name: attachment.name, type: attachment.type, content: content)
                pieces.append(StageImport.Piece(attachment: file))
                size += attachment.size
            }
            progress.say("Reading \(index + 1) of \(items.count) items", every: 500, index)
        }
        if begins || !pieces.isEmpty { try await flush() }
    }
}
