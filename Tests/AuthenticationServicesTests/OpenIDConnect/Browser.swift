import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Goes where it is told and nowhere else.
enum Browser {
    /// Asks for an address.
    ///
    /// - Returns: The status, where it leads, and the page; status 0 when nobody answers.
    static func get(
        _ url: String,
        host: String? = nil
    ) async throws -> (status: Int, location: String?, page: String) {
        var request = HTTPClientRequest(url: url)
        if let host { request.headers.add(name: "host", value: host) }
        // A browser goes on when nobody waits for it any more.
        return await Task { [request] () -> (Int, String?, String) in
            do {
                let response = try await client.execute(request, timeout: .hours(1))
                let page = String(buffer: try await response.body.collect(upTo: 1 << 16))
                return (Int(response.status.code), response.headers.first(name: "location"), page)
            } catch {
                return (0, nil, "")
            }
        }.value
    }

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .hours(1)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}
