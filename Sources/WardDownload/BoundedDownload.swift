internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Downloads one small document over HTTP, without cookies or referrer, and without a user agent unless the caller names one.
///
/// Size, time, redirects and the content type are limited, and the server's certificate must be trusted by the machine. The
/// caller chooses the address.
package struct BoundedDownload: Sendable {
    /// Why a download failed.
    package enum Failure: Error, Hashable, Sendable {
        /// A status other than 200.
        case status(UInt)
        /// The content type is not accepted.
        case contentType
        /// A redirect is not allowed, or there were too many.
        case redirect
        /// The document has more bytes than allowed.
        case tooLarge
        case tooSlow
        /// The server could not be reached, or its certificate is not trusted.
        case unreachable
    }

    /// An answer with any status.
    package struct Answer: Sendable {
        /// The HTTP status.
        package let status: UInt
        /// The body of the answer, within the limit.
        package let body: [UInt8]
        /// The value of the header `Retry-After`, as it came.
        package let retryAfter: String?
        /// The address that answered, after all redirects.
        package let address: String
    }

    /// What is sent with POST.
    package struct Payload: Sendable {
        /// The body of the request.
        package var body: String
        /// The content type of the body.
        package var contentType = "application/x-www-form-urlencoded"
        /// The value of the header `Authorization`, if there is one.
        package var authorization: String?

        /// A form.
        package init(body: String, authorization: String? = nil) {
            self.body = body
            self.authorization = authorization
        }

        /// A document of JSON.
        package init(json: String) {
            body = json
            contentType = "application/json"
        }
    }

    /// The maximum number of bytes.
    package var maximumSize: Int
    /// The time limit, including redirects.
    ///
    /// If a server cannot be reached within five seconds, the download fails earlier.
    package var timeout: Duration
    /// The value of the header `Accept`.
    package var accept = "application/json"
    /// Other headers, by name.
    package var headers: [String: String] = [:]
    /// Whether a document with this content type is accepted.
    ///
    /// The content type is in lower case and without parameters; it is empty if the answer has none.
    package var isAccepted: @Sendable (String) -> Bool = { $0 == "application/json" }
    /// Whether the body of an answer matters.
    ///
    /// Otherwise at most ``maximumSize`` bytes are read and left out, and a longer body is no failure.
    package var keepsBody = true
    /// Whether a longer document is cut after ``maximumSize`` bytes, and is no failure.
    package var isCut = false
    /// The maximum number of redirects.
    package var maximumRedirects = 0
    /// Whether a redirect to an address is allowed.
    package var mayFollow: @Sendable (String) -> Bool = { _ in false }

    /// Creates a download of JSON without redirects.
    package init(maximumSize: Int, timeout: Duration) {
        self.maximumSize = maximumSize
        self.timeout = timeout
    }

    /// The document's bytes.
    ///
    /// - Throws: ``Failure``, also for any status other than 200, or `CancellationError`.
    package func document(at url: String) async throws -> [UInt8] {
        try await answer(at: url, nil, onlyDocuments: true).body
    }

    /// Downloads a document and returns the answer with any status.
    ///
    /// For an error status, the content type is not checked.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - payload: What to send; without it the document is fetched.
    /// - Returns: The answer after all redirects.
    /// - Throws: ``Failure``, or `CancellationError`.
    package func answer(at url: String, sending payload: Payload? = nil) async throws -> Answer {
        try await answer(at: url, payload, onlyDocuments: false)
    }

    private func answer(at url: String, _ payload: Payload?, onlyDocuments: Bool) async throws -> Answer {
        try await Self.within(timeout) { try await following(url, payload, onlyDocuments) }
    }

    /// Runs a closure, at most for a time.
    ///
    /// - Throws: What `body` throws, or ``Failure/tooSlow``.
    static func within<Value: Sendable>(
        _ timeout: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard timeout > .zero else { throw Failure.tooSlow }
        // The HTTP client's own time limit covers only the head of an answer.
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw Failure.tooSlow
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// The answer after all redirects.
    private func following(_ url: String, _ payload: Payload?, _ onlyDocuments: Bool) async throws -> Answer {
        var url = url
        for _ in 0...max(0, maximumRedirects) {
            switch try await step(request(url, payload), onlyDocuments) {
            case .answer(let answer): return answer
            case .redirect(let location):
                let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
                let next = isPath ? Self.base(of: url) + location : location
                // The payload is sent only to the address that the caller gave, not to a redirect.
                guard payload == nil, mayFollow(next) else { throw Failure.redirect }
                url = next
            }
        }
        throw Failure.redirect
    }

    private enum Step { case answer(Answer), redirect(String) }

    private func request(_ url: String, _ payload: Payload?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "accept", value: accept)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        guard let payload else { return request }
        request.method = .POST
        request.headers.add(name: "content-type", value: payload.contentType)
        if let authorization = payload.authorization {
            request.headers.add(name: "authorization", value: authorization)
        }
        request.body = .bytes(ByteBuffer(string: payload.body))
        return request
    }

    private func step(_ request: HTTPClientRequest, _ onlyDocuments: Bool) async throws -> Step {
        do {
            return try await read(request, onlyDocuments)
        } catch let failure as Failure {
            throw failure
        } catch let error as HTTPClientError where [.connectTimeout, .tlsHandshakeTimeout].contains(error) {
            throw Failure.tooSlow
        } catch {
            try Task.checkCancellation()
            throw Failure.unreachable
        }
    }

    private func read(_ request: HTTPClientRequest, _ onlyDocuments: Bool) async throws -> Step {
        let response = try await Self.client.execute(request, deadline: .distantFuture)
        let headers = response.headers
        if [301, 302, 303, 307, 308].contains(response.status.code) {
            guard let location = headers.first(name: "location") else { throw Failure.redirect }
            return .redirect(location)
        }
        guard response.status == .ok || !onlyDocuments else { throw Failure.status(response.status.code) }
        let retryAfter = headers.first(name: "retry-after")
        let type = headers.first(name: "content-type")?.prefix { $0 != ";" } ?? ""
        guard response.status.code >= 300 || isAccepted(type.trimmed.lowercased()) else { throw Failure.contentType }
        guard keepsBody else {
            // A body that was read to its end leaves the connection for the next request.
            var left = maximumSize
            for try await part in response.body {
                left -= part.readableBytes
                if left < 0 { break }
            }
            return .answer(Answer(status: response.status.code, body: [], retryAfter: retryAfter, address: request.url))
        }
        if let length = headers.first(name: "content-length").flatMap(Int.init), length > maximumSize, !isCut {
            throw Failure.tooLarge
        }
        var body: [UInt8] = []
        for try await part in response.body {
            let isWhole = part.readableBytes <= maximumSize - body.count
            guard isWhole || isCut else { throw Failure.tooLarge }
            body += part.readableBytesView.prefix(maximumSize - body.count)
            if !isWhole { break }
        }
        return .answer(Answer(status: response.status.code, body: body, retryAfter: retryAfter, address: request.url))
    }

    private static func base(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }

    /// The client does not follow redirects, because they are checked here.
    ///
    /// Only connections stay after a download.
    static let client = makeClient()

    /// The same through the Tor service of this machine, at its usual port.
    static let torClient = makeClient { configuration in
        configuration.proxy = .socksServer(host: "127.0.0.1", port: 9050)
        // A way through Tor takes longer.
        configuration.timeout.connect = .seconds(30)
    }

    private static func makeClient(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        // A person waits for the result. The limit covers looking up the name, connecting and TLS.
        configuration.timeout.connect = .seconds(5)
        change(&configuration)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
