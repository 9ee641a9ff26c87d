internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

extension MetadataService.Fetch {
    /// Downloads over HTTPS with the shared client.
    ///
    /// - Parameter timeout: How long the whole download may take, in seconds.
    /// - Returns: A fetch that takes status 200 only, and never more bytes than asked for.
    public static func http(timeout: Int64 = 60) -> MetadataService.Fetch {
        MetadataService.Fetch { url, maximumSize in
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "accept", value: "application/octet-stream, application/jwt, */*;q=0.1")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(timeout))
            guard response.status == .ok else { throw DownloadError("status \(response.status.code)") }
            let body = try await response.body.collect(upTo: maximumSize)
            return Array(body.readableBytesView)
        }
    }
}

/// Why nothing was downloaded.
struct DownloadError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
