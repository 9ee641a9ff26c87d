/// A login as the browsers of this machine store it.
struct StoredLogin {
    /// The address of the page with the form.
    var site: String
    /// The name that the server gave itself, for a sign-in without a form (RFC 9110, §11.5).
    var realm: String?
    var username: String
    var password: String
    var notes = ""
    /// The times, in seconds since 1970.
    var createdAt: Int64?
    var changedAt: Int64?

    /// The item for the vault.
    func draft(now: Int64) -> ItemDraft {
        var draft = ItemDraft(title: nil, fallback: "Login", now: now)
        draft.addSite(site)
        draft.username = username
        draft.password = password
        draft.notes = notes
        draft.createdAt = createdAt.flatMap { $0 > 0 && $0 <= now ? $0 : nil }
        draft.passwordChangedAt = changedAt.flatMap { $0 > 0 && $0 <= now ? $0 : nil }
        draft.addField("HTTP realm", realm)
        return draft
    }
}
