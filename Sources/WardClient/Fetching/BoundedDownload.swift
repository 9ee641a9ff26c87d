internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import WardWebAuthn

/// Downloads a small JSON document over HTTPS, without cookies, referrer or user agent.
///
/// Status 200 and the type `application/json` are required. Size, time and redirects are limited, and the machine must
/// trust the certificate.
package struct BoundedDownload: Sendable {
    /// Why a download failed.
    package enum Failure: Error, Hashable, Sendable {
        /// A status other than 200.
        case status(UInt)
        /// A content type that is not `application/json`.
        case contentType
        /// A redirect that is not allowed, or one too many.
        case redirect
        /// More bytes than allowed.
        case tooLarge
        /// Too slow.
        case tooSlow
        /// No connection, or no trusted one.
        case unreachable
    }

    /// The maximum number of bytes.
    package var maximumSize: Int
    /// Time limit including redirects.
    package var timeout: Duration
    /// The maximum number of redirects.
    package var maximumRedirects: Int
    /// Whether a redirect to an address is allowed.
    package var mayFollow: @Sendable (String) -> Bool

    /// Creates a download with its limits.
    package init(
        maximumSize: Int,
        timeout: Duration,
        maximumRedirects: Int = 0,
        mayFollow: @escaping @Sendable (String) -> Bool = isPublicHTTPS
    ) {
        self.maximumSize = maximumSize
        self.timeout = timeout
        self.maximumRedirects = maximumRedirects
        self.mayFollow = mayFollow
    }

    /// Whether a redirect may lead to an address: `https://` and a domain name other than this machine's, without user
    /// or password.
    package static func isPublicHTTPS(_ url: String) -> Bool {
        // Two parsers read this text, this one and the HTTP client's. Refuse text that they could read differently.
        guard url.hasPrefix("https://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x5c }) else {
            return false
        }
        let authority = url.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        guard let origin = try? WebOrigin("https://" + authority.lowercased()) else { return false }
        return !origin.host.isLocalhost
    }

    /// The document's bytes.
    ///
    /// - Throws: ``Failure``, or `CancellationError`.
    package func document(at url: String) async throws -> [UInt8] {
        let deadline = ContinuousClock.now + timeout
        var url = url
        for _ in 0...max(0, maximumRedirects) {
            switch try await step(url, deadline) {
            case .document(let bytes): return bytes
            case .redirect(let next):
                guard mayFollow(next) else { throw Failure.redirect }
                url = next
            }
        }
        throw Failure.redirect
    }

    private enum Step { case document([UInt8]), redirect(String) }

    private func step(_ url: String, _ deadline: ContinuousClock.Instant) async throws -> Step {
        do {
            return try await answer(to: url, deadline)
        } catch let failure as Failure {
            throw failure
        } catch let error as HTTPClientError where [.deadlineExceeded, .connectTimeout, .readTimeout].contains(error) {
            throw Failure.tooSlow
        } catch {
            try Task.checkCancellation()
            throw Failure.unreachable
        }
    }

    private func answer(to url: String, _ deadline: ContinuousClock.Instant) async throws -> Step {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "accept", value: "application/json")
        let left = deadline - .now
        guard left > .zero else { throw Failure.tooSlow }
        let response = try await Self.client.execute(request, timeout: TimeAmount(left))
        let headers = response.headers
        if [301, 302, 303, 307, 308].contains(response.status.code) {
            guard let location = headers.first(name: "location") else { throw Failure.redirect }
            let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
            return .redirect(isPath ? Self.base(of: url) + location : location)
        }
        guard response.status == .ok else { throw Failure.status(response.status.code) }
        let type = headers.first(name: "content-type")?.split(separator: ";").first.map(String.init) ?? ""
        guard type.trimmed.lowercased() == "application/json" else { throw Failure.contentType }
        if let length = headers.first(name: "content-length").flatMap(Int.init), length > maximumSize {
            throw Failure.tooLarge
        }
        // The client's timeout covers head and body; the size is checked here.
        var bytes: [UInt8] = []
        for try await part in response.body {
            bytes += part.readableBytesView
            guard bytes.count <= maximumSize else { throw Failure.tooLarge }
            guard ContinuousClock.now < deadline else { throw Failure.tooSlow }
        }
        return .document(bytes)
    }

    private static func base(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }

    /// The client does not follow redirects, because they are checked here.
    ///
    /// Only connections outlive a download.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
