internal import WardAgentClient

extension AppIdentity.Result {
    /// Who asks, for the end of a prompt: the name, what vouches for it, and what runs.
    ///
    /// - Parameter domain: What it speaks for; that nobody was asked about this machine itself is said.
    /// - Returns: One to three sentences.
    func introduction(speakingFor domain: String) -> String {
        let isLocal = domain == "localhost" || domain.hasSuffix(".localhost")
        let override =
            isLocal ? " \(domain) is this machine itself, for development: every program may speak for it." : ""
        switch kind {
        case .flatpak: return "Asked by \(displayName.cleanedForPrompt), a Flatpak app.\(override)"
        case .registered: return "Asked by \(displayName.cleanedForPrompt) (\(identifier), \(executable)).\(override)"
        case .unknown: return "Asked by \(executable). Nobody vouches for this program.\(override)"
        }
    }
}
