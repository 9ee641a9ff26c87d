internal import WardCTAP
internal import WardWebAuthn

extension CeremonyContext {
    /// The origin of the page, if its host is not the RP ID, and the origin of the page around a frame.
    ///
    /// WebAuthn Level 3, "cross-origin use": a prompt shows both the origin and the RP ID if they differ, and warns if the page
    /// is in a frame of another origin.
    func pageForPrompt(_ rpID: String?) -> [PromptSentence] {
        var sentences: [PromptSentence] = []
        if let host = origin?.web?.host.description, host != rpID {
            sentences.append(.pageAsks(host: .domain(host)))
        }
        if let top = topOrigin, top != origin {
            sentences.append(.insidePage(host: .domain(top.web?.host.description ?? top.description)))
        }
        return sentences
    }
}
