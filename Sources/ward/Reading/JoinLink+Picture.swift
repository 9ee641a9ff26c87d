import WardAgentClient

extension JoinLink {
    /// The one link among the texts of QR codes.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    static func only(in texts: [String]) throws -> JoinLink {
        let links = texts.compactMap { JoinLink($0) }
        guard let link = links.first else {
            throw Failure(
                .usage,
                "The picture has no QR code of ward devices add. Type the code instead: ward join ADDRESS"
            )
        }
        guard links.count == 1 else {
            throw Failure(.ambiguous, "The picture has several QR codes of ward devices add. Cut one out")
        }
        return link
    }
}
