internal import WardDomains
internal import WardWebAuthn

extension ServerAddress {
    /// Whether a person may be sent to a page that the server at this address names.
    ///
    /// The page must be of the server's own host, or of one under the same registrable domain. On a page of another site the code of
    /// somebody else's sign-in could wait, and the person would allow it. Without a list of public suffixes only the own host is left.
    func maySend(to page: ServerAddress, suffixes: PublicSuffixList) -> Bool {
        guard page.isHTTPS || !isHTTPS else { return false }
        if page.name == name || (isThisMachine && page.isThisMachine) { return true }
        guard let own = try? DomainName(name), let other = try? DomainName(page.name),
            let domain = suffixes.registrableDomain(of: own)
        else { return false }
        return suffixes.registrableDomain(of: other) == domain
    }
}
