package import WardWebAuthn

extension RelatedOriginsFetch {
    /// Downloads over HTTPS without cookies, referrer or user agent, so the request does not identify the machine.
    ///
    /// Status 200 and the type `application/json` are required. At most 256 KiB are read, and at most three redirects
    /// are followed, each to `https://` and a domain name.
    ///
    /// - Parameter timeout: Time limit including redirects, in seconds.
    /// - Returns: A fetch. Every error of it becomes a `SecurityError` for the caller.
    public static func http(timeout: Int64 = 10) -> RelatedOriginsFetch {
        RelatedOriginsFetch(RelatedOriginsDownload(timeout: .seconds(max(1, timeout))))
    }

    package init(_ download: RelatedOriginsDownload) {
        self.init { rpID in try await download.document(of: rpID) }
    }
}

/// One download of a list of related origins, with its limits.
package struct RelatedOriginsDownload: Sendable {
    private let download: BoundedDownload
    private let address: @Sendable (RelyingPartyID) -> String

    /// Downloads from the well-known address.
    package init(timeout: Duration) {
        self.init(
            timeout: timeout,
            address: { "https://\($0)/.well-known/webauthn" },
            mayFollow: BoundedDownload.isPublicHTTPS
        )
    }

    /// Downloads from another address, for tests.
    package init(
        timeout: Duration,
        address: @escaping @Sendable (RelyingPartyID) -> String,
        mayFollow: @escaping @Sendable (String) -> Bool
    ) {
        download = BoundedDownload(
            maximumSize: RelatedOriginsFetch.maximumSize,
            timeout: timeout,
            maximumRedirects: 3,
            mayFollow: mayFollow
        )
        self.address = address
    }

    /// The document's bytes.
    package func document(of rpID: RelyingPartyID) async throws -> [UInt8] {
        try await download.document(at: address(rpID))
    }
}
