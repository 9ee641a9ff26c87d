import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Goes where it is told and nowhere else.
enum Browser {
    /// Asks for an address.
    ///
    /// - Returns: The status and where it leads; status 0 when nobody answers.
    static func get(_ url: String, host: String? = nil) async throws -> (status: Int, location: String?) {
        var request = HTTPClientRequest(url: url)
        if let host { request.headers.add(name: "host", value: host) }
        // A browser goes on when nobody waits for it any more.
        return await Task { [request] () -> (Int, String?) in
            do {
                let response = try await client.execute(request, timeout: .hours(1))
                for try await _ in response.body {}
                return (Int(response.status.code), response.headers.first(name: "location"))
            } catch {
                return (0, nil)
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
