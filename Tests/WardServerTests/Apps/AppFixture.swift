import HTTPTypes
import Testing
import WardServer

/// A browser at one app's host, as the proxy there passes its requests on.
struct AppBrowser {
    /// The cookies of the app's host.
    let jar: Visitor
    var host = "app.example.com"

    init(_ world: ServiceFixture, host: String = "app.example.com") {
        jar = world.visitor()
        jar.origin = nil
        self.host = host
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        uri: String = "/page?x=1&y=2",
        _ more: HTTPFields = [:]
    ) async throws -> Answer {
        var headers: HTTPFields = [.accept: "text/html,*/*;q=0.8"]
        for (name, value) in [
            ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Uri", uri),
            ("X-Forwarded-Method", "GET"),
        ] { headers[try #require(HTTPField.Name(name))] = value }
        for field in more { headers[field.name] = field.value }
        return try await jar.send(method, path, nil, headers)
    }

    /// What the proxy asks before each request.
    func check() async throws -> Answer { try await send(.get, "/api/v1/session") }

    /// The same, where the browser may be sent to sign in; the address that it is sent to, without the service's origin.
    func begin(uri: String = "/page?x=1&y=2") async throws -> String {
        let answer = try await send(.get, "/api/v1/session?sign_in=redirect", uri: uri)
        #expect(answer.status == .found)
        return String(try #require(answer.headers[.location]?.removing("https://login.example.com")))
    }

    /// Follows the way back to the app, and returns where it leads.
    func take(_ location: String) async throws -> Answer {
        let path = try #require(location.removing("https://\(host)"))
        return try await send(.get, path)
    }

    /// The whole way for somebody who is signed in at the service.
    func enter(as person: Visitor) async throws {
        let answer = try await take(try await person.code(begin()))
        #expect(answer.status == .found)
    }

    /// The value of the cookie at the app's host.
    var token: String? { jar.cookie.flatMap { $0.split(separator: "=").last.map(String.init) } }
}

extension Visitor {
    /// Opens the page where people from an app sign in, and returns the address with the code.
    func code(_ page: String) async throws -> String {
        let answer = try await get(page)
        #expect(answer.status == .found, "\(answer.text)")
        return try #require(answer.headers[.location])
    }
}

extension String {
    fileprivate func removing(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}

extension ServerConfiguration {
    /// A service at a host of its own, and two apps.
    static var withApps: Self {
        var configuration = Self(rpID: "example.com", origins: ["https://login.example.com"])
        configuration.appOrigins = ["https://app.example.com", "https://wiki.example.com:8443"]
        return configuration
    }
}

/// Runs a service with two apps.
func withApps(_ body: @escaping @Sendable (ServiceFixture) async throws -> Void) async throws {
    try await withService(.withApps, body)
}
