import WardAgentClient
import WardVault

/// Finds the items that a verification code may belong to.
///
/// Anybody can write any issuer into a link, so this only chooses what a person is asked about.
enum CodePlaces {
    /// The items whose title or site is the issuer's, and whose user name does not differ; those with the same user name first.
    static func candidates(for code: OneTimePassword, among items: [SummaryRecord]) -> [SummaryRecord] {
        let issuer = folded(code.issuer)
        guard !issuer.isEmpty else { return [] }
        let account = code.account.lowercased()
        let found = items.filter { item in
            guard item.kind == "login" else { return false }
            let user = item.username.lowercased()
            guard user.isEmpty || account.isEmpty || user == account else { return false }
            return folded(item.title) == issuer || item.sites.contains { isSite($0, of: issuer) }
        }
        let exact = found.filter { $0.username.lowercased() == account && !account.isEmpty }
        return exact.isEmpty ? found : exact
    }

    /// Whether the issuer is the host of a site, or a part of its name: `github` for `github.com`.
    private static func isSite(_ address: String, of issuer: String) -> Bool {
        guard let host = Site(address).host else { return false }
        return folded(host) == issuer || host.split(separator: ".").dropLast().contains { folded(String($0)) == issuer }
    }

    private static func folded(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
