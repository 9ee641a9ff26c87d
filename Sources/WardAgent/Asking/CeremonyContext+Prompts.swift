internal import WardCTAP
internal import WardWebAuthn

extension CeremonyContext {
    /// The page that asks, where it is not the RP ID's own, and the page around it.
    ///
    /// WebAuthn Level 3, "cross-origin use": both the origin and the RP ID are shown where they differ, and the person is warned of
    /// a frame in a page of another origin.
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
