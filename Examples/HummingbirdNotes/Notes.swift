import Synchronization
import WardAccounts

/// The form of a new note.
struct NewNote: Decodable {
    let text: String
}

/// Everybody's notes, in memory.
final class Notes: Sendable {
    // By the account's ID, which never changes and belongs to nobody else. Names change.
    private let notes = Mutex<[AccountID: [String]]>([:])

    func all(of account: AccountID) -> [String] { notes.withLock { $0[account] ?? [] } }

    func add(_ text: String, of account: AccountID) { notes.withLock { $0[account, default: []].append(text) } }
}
