package import WardAccounts

/// The links that people get: from administrators, and in messages.
package enum ServiceLink: String, Sendable {
    /// Creates one account.
    case invitation = "/#invitation="
    /// Adds one passkey to an account.
    case recovery = "/recover#recovery="
    /// Confirms an e-mail address.
    case confirmation = "/confirm-address#confirmation="
    /// Ends all sessions of an account.
    case alarm = "/not-me#alarm="

    /// A link with a token in its fragment, the part after `#`.
    ///
    /// Browsers do not send the fragment to a server.
    ///
    /// - Parameters:
    ///   - origin: The origin of the service's pages.
    ///   - token: The token.
    /// - Returns: The link's text.
    package func text(at origin: String, _ token: LinkToken) -> String { "\(origin)\(rawValue)\(token.text)" }
}
