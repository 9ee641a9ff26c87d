/// What a person wants of a sync server, so that a sentence names the command that helps.
package enum ServerPurpose: Sendable {
    /// The vault is synced with the server, or is to be.
    case syncing
    /// The vault moves to the server.
    case moving
    /// The vault leaves the server for another one.
    case leaving

    /// What a person runs for this server.
    var here: String { self == .moving ? "ward sync move ADDRESS" : "ward sync on ADDRESS" }
    /// What a person runs for another server.
    var elsewhere: String { self == .syncing ? "ward sync on ADDRESS" : "ward sync move ADDRESS" }
}
