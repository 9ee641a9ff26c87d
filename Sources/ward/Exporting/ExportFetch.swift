import Foundation
import WardAgentClient
import WardExchange
import WardText
import WardVault

/// The items of the vault, as the agent hands them out for an export.
struct ExportFetch: Sendable {
    let source: ExportSource
    /// The number of items in the trash, which are left out.
    let inTrash: Int
    /// The IDs of items that the vault cannot read.
    let unreadable: [String]

    /// Asks the agent, which asks the person, and gets all items.
    static func items(
        from agent: AgentClient,
        for format: ExportFormat,
        _ authorization: Authorization,
        _ progress: ProgressLine
    ) async throws -> ExportFetch {
        let allowed = try await agent.call(
            BeginExport(authorization: authorization, format: format.title, isSealed: format.isSealed)
        )
        var source = ExportSource(items: [], now: Int64(Date().timeIntervalSince1970))
        var unreadable: [String] = []
        while allowed.items > 0 {
            let next = try await agent.call(FetchExport())
            for piece in next.pieces { try add(piece, to: &source) }
            unreadable += next.unreadable
            progress.say("Reading \(source.items.count) of \(allowed.items) items")
            if next.isComplete { break }
        }
        progress.end()
        return ExportFetch(source: source, inTrash: allowed.inTrash, unreadable: unreadable)
    }

    private static func add(_ piece: FetchExport.Piece, to source: inout ExportSource) throws(Failure) {
        let malformed = Failure(
            .failed,
            "The agent's answer has the wrong form. Restart the agent: ward agent --stop"
        )
        if let text = piece.item {
            guard let bytes = Base64URL.decode(text), let item = try? Item(encoded: bytes) else { throw malformed }
            source.items.append(item)
        }
        if let id = piece.attachment {
            guard let attachment = source.items.last?.attachments.first(where: { $0.id.text == id }),
                let content = piece.content.flatMap({ Base64URL.decode($0) })
            else { throw malformed }
            source.contents[attachment.id] = SecretBytes(content)
        }
    }
}
