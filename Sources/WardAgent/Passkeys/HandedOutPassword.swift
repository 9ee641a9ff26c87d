/// A password that a credential manager gave to an app or a page, after the person agreed.
struct HandedOutPassword: RecentRelease {
    /// The app or the page that got the password.
    var recipient: Recipient
    /// The manager that released the password.
    var provider: String
    /// The manager's reference to the entry.
    ///
    /// For Ward's vault it is the item ID.
    var reference: String
    /// The domain that the app requested, or the host of the page.
    var domain: String
    /// The account.
    var user: String

    /// Whether the password belongs to this account.
    ///
    /// Upper and lower case do not matter. For a page, the domain may be another host of the same site.
    func isFor(_ userName: String, at domain: String) -> Bool {
        guard !user.isEmpty, user.lowercased() == userName.lowercased() else { return false }
        return switch recipient {
        case .app: self.domain == domain
        case .page: BrowserPage.areSameSite(self.domain, domain)
        }
    }
}
