internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// One request to a server, and its answer with any status.
///
/// Size and time are limited. Redirects are not followed, and nothing is remembered: there are no cookies. A server must have a
/// certificate that this machine trusts.
package struct BoundedExchange: Sendable {
    /// What a request does.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// A request.
    package struct Request: Sendable {
        package var method: Method
        package var url: String
        /// Header fields, by name.
        package var fields: [String: String]
        package var body: [UInt8]?

        package init(_ method: Method, _ url: String, fields: [String: String] = [:], body: [UInt8]? = nil) {
            self.method = method
            self.url = url
            self.fields = fields
            self.body = body
        }
    }

    /// An answer, within the limits.
    package struct Answer: Sendable {
        /// The HTTP status.
        package var status: UInt
        /// The header fields that are there once, by their names in lower case.
        package var fields: [String: String]
        package var body: [UInt8]
        /// Whether the body goes on after the limit.
        package var isCut: Bool

        package init(status: UInt, fields: [String: String] = [:], body: [UInt8] = [], isCut: Bool = false) {
            self.status = status
            self.fields = fields
            self.body = body
            self.isCut = isCut
        }
    }

    /// The maximum length of a body, in bytes.
    package var maximumSize: Int
    /// The same for an answer whose status is an error.
    package var maximumErrorSize = 256 * 1024
    /// The time limit for all of it.
    package var timeout: Duration
    /// Whether a longer body is cut after ``maximumSize`` bytes, and is no failure.
    package var isCut = false
    /// Whether the request goes through the Tor service of this machine.
    package var usesTor = false

    package init(maximumSize: Int, timeout: Duration) {
        self.maximumSize = maximumSize
        self.timeout = timeout
    }

    /// Sends a request, and reads the answer to its end.
    ///
    /// - Throws: `BoundedDownload.Failure`, also for a redirect and for an answer that ends early; or `CancellationError`.
    package func answer(to request: Request) async throws -> Answer {
        try await BoundedDownload.within(timeout) {
            do {
                return try await read(request)
            } catch let failure as BoundedDownload.Failure {
                throw failure
            } catch let error as HTTPClientError where [.connectTimeout, .tlsHandshakeTimeout].contains(error) {
                throw BoundedDownload.Failure.tooSlow
            } catch {
                try Task.checkCancellation()
                throw BoundedDownload.Failure.unreachable
            }
        }
    }

    private func read(_ request: Request) async throws -> Answer {
        var sent = HTTPClientRequest(url: request.url)
        sent.method = HTTPMethod(rawValue: request.method.rawValue)
        for (name, value) in request.fields { sent.headers.add(name: name, value: value) }
        if let body = request.body { sent.body = .bytes(ByteBuffer(bytes: body)) }
        let client = usesTor ? BoundedDownload.torClient : BoundedDownload.client
        let response = try await client.execute(sent, deadline: .distantFuture)
        guard !(300...399).contains(response.status.code) else { throw BoundedDownload.Failure.redirect }
        let isError = response.status.code >= 400
        let limit = isError ? maximumErrorSize : maximumSize
        let length = response.headers.first(name: "content-length").flatMap(Int.init)
        if let length, length > limit, !isCut || isError { throw BoundedDownload.Failure.tooLarge }
        var (body, isOver): ([UInt8], Bool) = ([], false)
        for try await part in response.body {
            let isWhole = part.readableBytes <= limit - body.count
            guard isWhole || (isCut && !isError) else { throw BoundedDownload.Failure.tooLarge }
            body += part.readableBytesView.prefix(limit - body.count)
            guard isWhole else {
                isOver = true
                break
            }
        }
        return Answer(
            status: response.status.code,
            fields: Self.fields(response.headers),
            body: body,
            isCut: isOver
        )
    }

    /// A field that is there several times says nothing that could be relied on.
    private static func fields(_ headers: HTTPHeaders) -> [String: String] {
        var counts: [String: Int] = [:]
        var fields: [String: String] = [:]
        for (name, value) in headers {
            counts[name.lowercased(), default: 0] += 1
            fields[name.lowercased()] = value
        }
        return fields.filter { counts[$0.key] == 1 }
    }
}
