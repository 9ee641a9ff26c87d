internal import Synchronization
internal import WardAgentClient
internal import WardText
internal import WardVault

/// The items of a file that a program handed over, until they are imported.
///
/// They belong to one connection and are forgotten when it ends. They are never written to disk.
final class ImportStage: Sendable {
    private struct State {
        var items: [Item] = []
        var bytes = 0
        var touchedAt: ContinuousClock.Instant?
    }

    /// The maximum number of items.
    static let maximumItems = 200_000
    /// The maximum number of bytes of all items and attachments.
    static let maximumBytes = 256 << 20
    /// How long the items wait for the next request.
    static let window = Duration.seconds(15 * 60)

    private let state = Mutex(State())

    /// Adds items.
    ///
    /// - Returns: The number of items that wait.
    /// - Throws: `AgentError` with `invalidValue` if a piece is malformed or a limit is exceeded; everything is forgotten then.
    func add(_ method: StageImport, at now: ContinuousClock.Instant) throws(AgentError) -> Int {
        try state.withLock { (state) throws(AgentError) in
            do throws(AgentError) {
                if method.begins { state = State() } else { try Self.check(state, now) }
                for piece in method.pieces { try Self.add(piece, to: &state) }
                state.touchedAt = now
                return state.items.count
            } catch {
                state = State()
                throw error
            }
        }
    }

    private static func add(_ piece: StageImport.Piece, to state: inout State) throws(AgentError) {
        if let text = piece.item {
            guard let bytes = Base64URL.decode(text), let item = try? Item(encoded: bytes), item.attachments.isEmpty
            else {
                throw AgentError(.invalidValue, "An item of the import is malformed")
            }
            state.items.append(item)
            state.bytes += bytes.count
        }
        if let file = piece.attachment {
            guard let last = state.items.indices.last, let content = Base64URL.decode(file.content) else {
                throw AgentError(.invalidValue, "An attachment of the import is malformed")
            }
            state.items[last].attachments.append(Attachment(name: file.name, type: file.type, content: content))
            state.bytes += content.count
        }
        guard state.items.count <= maximumItems else {
            throw AgentError(.invalidValue, "An import can have at most \(maximumItems) items")
        }
        guard state.bytes <= maximumBytes else {
            throw AgentError(.invalidValue, "An import can have at most \(maximumBytes >> 20) MiB")
        }
    }

    /// The items that wait.
    ///
    /// - Throws: `AgentError` with `itemMissing` if there are none, or if they waited too long.
    func items(at now: ContinuousClock.Instant) throws(AgentError) -> [Item] {
        try state.withLock { (state) throws(AgentError) in
            do throws(AgentError) {
                try Self.check(state, now)
            } catch {
                state = State()
                throw error
            }
            state.touchedAt = now
            return state.items
        }
    }

    /// Forgets the items.
    func clear() { state.withLock { $0 = State() } }

    private static func check(_ state: State, _ now: ContinuousClock.Instant) throws(AgentError) {
        guard let touchedAt = state.touchedAt else {
            throw AgentError(.itemMissing, "This connection handed over no items to import")
        }
        guard touchedAt.duration(to: now) <= window else {
            throw AgentError(.itemMissing, "The import waited too long. Run the command again")
        }
    }
}
