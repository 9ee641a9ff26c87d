internal import WardAgentClient

extension AppIdentity.Result {
    /// Who asks, for the end of a prompt: the name, what vouches for it, and what runs.
    var introduction: String {
        switch kind {
        case .flatpak: "Asked by \(displayName.cleanedForPrompt), a Flatpak app."
        case .registered: "Asked by \(displayName.cleanedForPrompt) (\(identifier), \(executable))."
        case .unknown:
            "Asked by \(executable). Nobody vouches for this program: it may speak for localhost alone, for development."
        }
    }
}
