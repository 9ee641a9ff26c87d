internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

extension MetadataService.Fetch {
    /// Downloads over HTTPS with a shared client.
    ///
    /// - Parameter timeout: Time limit for the whole download, in seconds.
    /// - Returns: A fetch that accepts only status 200, and never more bytes than allowed.
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

/// Why a download failed.
struct DownloadError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
