/// What a device has in hand for its first sync of a vault with a server.
package struct ServerBeginning: Sendable {
    /// The token of the operator, if the vault may not be on the server yet.
    package var invitation: String?
    /// What was read from the server before this device had the vault; it is not read again.
    ///
    /// The pages follow each other from the first entry on.
    package var pages: [ServerPage]
    /// Whether the server is synced with once, beside the one that this device remembers: nothing of it is kept.
    package var isOnce: Bool

    package init(invitation: String? = nil, pages: [ServerPage] = [], isOnce: Bool = false) {
        self.invitation = invitation
        self.pages = pages
        self.isOnce = isOnce
    }
}
