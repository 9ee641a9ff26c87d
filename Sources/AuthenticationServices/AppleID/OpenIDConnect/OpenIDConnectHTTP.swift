internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Sends requests to an issuer over HTTP.
///
/// Only JSON is accepted, without redirects, at most 256 KiB, within a time limit.
struct OpenIDConnectHTTP: Sendable {
    /// The maximum size of an answer, in bytes.
    static var maximumSize: Int { 256 * 1024 }

    /// Time limit for one request.
    let timeout: Duration

    /// An answer.
    struct Answer: Sendable {
        let status: UInt
        let body: [UInt8]
    }

    /// Fetches a document.
    func get(_ url: String, _ what: String) async throws(ASAuthorizationError) -> [UInt8] {
        let answer = try await execute(HTTPClientRequest(url: url), what)
        guard answer.status == 200 else {
            throw .unreachable("the issuer answered \(answer.status) when asked for \(what)")
        }
        return answer.body
    }

    /// Sends a form.
    func post(
        _ url: String,
        form: [(String, String)],
        authorization: String?,
        _ what: String
    ) async throws(ASAuthorizationError) -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        if let authorization { request.headers.add(name: "authorization", value: authorization) }
        request.body = .bytes(ByteBuffer(string: OpenIDConnectAddress.form(form)))
        return try await execute(request, what)
    }

    private func execute(_ request: HTTPClientRequest, _ what: String) async throws(ASAuthorizationError) -> Answer {
        do {
            return try await download(request, what)
        } catch let error as ASAuthorizationError {
            throw error
        } catch is CancellationError {
            throw .issuerCancelled
        } catch {
            if Task.isCancelled { throw .issuerCancelled }
            throw .unreachable(
                "the issuer could not be reached for \(what): check the network and the issuer's address"
            )
        }
    }

    private func download(_ request: HTTPClientRequest, _ what: String) async throws -> Answer {
        var request = request
        request.headers.add(name: "accept", value: "application/json")
        let deadline = ContinuousClock.now + timeout
        // The client's timeout covers head and body; the size is checked here.
        let response = try await Self.client.execute(request, timeout: TimeAmount(timeout))
        let type = response.headers.first(name: "content-type")?.prefix { $0 != ";" } ?? ""
        guard type.filter({ $0 != " " }).lowercased().hasSuffix("json") || response.status.code >= 300 else {
            throw ASAuthorizationError.refused("the answer for \(what) is not JSON")
        }
        var body: [UInt8] = []
        for try await part in response.body {
            guard body.count + part.readableBytes <= Self.maximumSize else {
                throw ASAuthorizationError.refused(
                    "the answer for \(what) is larger than \(Self.maximumSize / 1024) KiB"
                )
            }
            guard ContinuousClock.now < deadline else { throw HTTPClientError.deadlineExceeded }
            body += part.readableBytesView
        }
        return Answer(status: response.status.code, body: body)
    }

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension ASAuthorizationError {
    static var issuerCancelled: Self { Self(.canceled, "the sign-in was cancelled") }
}
