internal import WardAgentClient

extension Requester {
    /// Who asks, for the end of a prompt.
    var introduction: String {
        switch self {
        case .app(let app): app.identity.introduction(speakingFor: "")
        case .page(let page): page.browser.peer.introduction
        case .person(let program): program.peer.introduction
        }
    }
}

extension AppIdentity.Result {
    /// Who asks, for the end of a prompt: a warning first, then the name and what vouches for it, last the program.
    ///
    /// - Parameter domain: What it speaks for; that nobody was asked about this machine itself is said.
    /// - Returns: One to three sentences.
    func introduction(speakingFor domain: String) -> String {
        let isLocal = domain == "localhost" || domain.hasSuffix(".localhost")
        let warning =
            isLocal
            ? "\(domain.domainForPrompt) is this machine itself, for development: every program may speak for it. " : ""
        let name = displayName.cleanedForPrompt
        switch kind {
        case .flatpak: return "\(warning)Asked by \(name), a Flatpak app."
        case .registered:
            return "\(warning)Asked by \(name) (\(identifier.domainForPrompt)), program \(executable.pathForPrompt)."
        case .unknown:
            return "Nobody vouches for the program that asks. \(warning)\nProgram \(executable.pathForPrompt)"
        }
    }
}
