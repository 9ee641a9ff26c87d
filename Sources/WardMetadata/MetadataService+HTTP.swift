package import WardDownload

extension MetadataService.Fetch {
    /// Downloads over HTTPS.
    ///
    /// - Parameter timeout: Time limit for the whole download, in seconds.
    /// - Returns: A fetch that accepts only status 200, follows at most five redirects, each to `https://`, and never reads more
    ///   bytes than allowed.
    public static func http(timeout: Int64 = 60) -> MetadataService.Fetch {
        MetadataService.Fetch { url, maximumSize in
            try await BoundedDownload.metadata(timeout: timeout, maximumSize: maximumSize).document(at: url)
        }
    }
}

extension BoundedDownload {
    /// The limits for a BLOB.
    ///
    /// The content type is not checked, because the BLOB is signed.
    package static func metadata(timeout: Int64, maximumSize: Int) -> BoundedDownload {
        var download = BoundedDownload(maximumSize: maximumSize, timeout: .seconds(max(1, timeout)))
        download.accept = "application/octet-stream, application/jwt, */*;q=0.1"
        download.isAccepted = { _ in true }
        download.maximumRedirects = 5
        download.mayFollow = { $0.hasPrefix("https://") }
        return download
    }
}
