import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import WardAccounts
import WardText

/// Wraps every handler: it turns errors into responses, adds header fields and logs requests.
package struct Edge: HTTPResponder {
    private let router: RouterResponder<WardRequestContext>
    private let table: RouteTable
    /// The pages for people; `nil` for an address that only programs use.
    private let pages: PageRoutes?
    private let headers: SecurityHeaders
    private let cors: CORSPolicy
    private let metrics: ServiceMetrics?
    /// Whether the other end of a connection is a proxy whose word counts.
    private let trusts: @Sendable (SocketAddress?) -> Bool

    /// Wraps a router that already has all routes.
    init(
        _ router: WardRouter,
        pages: PageRoutes? = nil,
        headers: SecurityHeaders,
        cors: CORSPolicy,
        metrics: ServiceMetrics? = nil,
        trusts: @escaping @Sendable (SocketAddress?) -> Bool = { _ in false }
    ) {
        self.router = router.buildResponder()
        self.pages = pages
        table = RouteTable(router)
        self.headers = headers
        self.cors = cors
        self.metrics = metrics
        self.trusts = trusts
    }

    package func respond(to request: Request, context: WardRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        let identifier = RequestIdentifier(request)
        var context = context
        identifier.note(in: &context)
        let trace = trusts(context.peer) ? RequestTrace(request) : nil
        trace?.note(in: &context)
        let access = await cors.access(request)
        var (response, code) = try await answer(request, context, access)
        headers.apply(to: &response.headers)
        access?.apply(to: &response.headers)
        response.headers[.requestID] = identifier.text
        trace?.note(in: &response)
        // RFC 9110, section 9.3.2: a response to HEAD never has a body.
        if request.method == .head { response = response.createHeadResponse() }
        let duration = ContinuousClock.now - start
        log(request, context, response, code, took: duration)
        metrics?.count(
            method: request.method.rawValue,
            route: table.route(context.endpointPath),
            status: response.status.code,
            took: duration
        )
        return response
    }

    /// Whether a path is one of the service, with any method.
    func serves(_ path: String) -> Bool { table.methods(for: path) != nil }

    private func answer(
        _ request: Request,
        _ context: WardRequestContext,
        _ access: CORSPolicy.Access?
    ) async throws -> (Response, String?) {
        if let response = access?.preflight(request) { return (response, nil) }
        let error: APIError
        do {
            let response = try await router.respond(to: request, context: context)
            guard response.status.code >= 400, response.body.contentLength == 0 else { return (response, nil) }
            return refusal(generic(response.status, request), request, allowed: table.methods(for: request.uri.path))
        } catch let thrown as APIError {
            error = thrown
        } catch let thrown as StoreError {
            error = APIError(thrown)
            if !thrown.code.isRefusal {
                context.logger.error("store failed", metadata: ["error": .string(thrown.description)])
            }
        } catch let thrown as HTTPParserError {
            throw thrown
        } catch {
            context.logger.error(
                "handler failed",
                metadata: ["error.type": .string(String(reflecting: type(of: error)))]
            )
            return refusal(APIError(.internalError, "The service failed."), request)
        }
        return refusal(error, request)
    }

    /// The framework's own errors have no body.
    ///
    /// They mean that the path is unknown, or that it does not support the method.
    private func generic(_ status: HTTPResponse.Status, _ request: Request) -> APIError {
        guard status == .notFound else {
            return status.code < 500
                ? APIError(APIError.Code("malformed_request", status), "The request is not valid.")
                : APIError(.internalError, "The service failed.")
        }
        guard let methods = table.methods(for: request.uri.path), !methods.contains(request.method.rawValue) else {
            return APIError(.notFound, "Nothing exists at this address.")
        }
        return APIError(.methodNotAllowed, "This address does not support the method.")
    }

    private func refusal(_ error: APIError, _ request: Request, allowed: [String]? = nil) -> (Response, String?) {
        if let limit = error.limit { metrics?.count(refusedBy: limit) }
        let page = Self.answersJSON(request.uri.path) ? nil : pages?.failurePage(error, request)
        var response = page ?? error.response
        if error.code == .methodNotAllowed, let allowed {
            response.headers[.allow] = allowed.joined(separator: ", ")
        }
        return (response, error.code.name)
    }

    private static func answersJSON(_ path: String) -> Bool {
        let programs = ["/api/", "/device-session/", "/healthz", "/readyz", "/attestation/", "/assertion/"]
        return programs.contains { path.hasPrefix($0) } || path == "/api"
    }

    /// The log has only values of the service itself: never a name, token, ID, query or body.
    private func log(
        _ request: Request,
        _ context: WardRequestContext,
        _ response: Response,
        _ code: String?,
        took duration: Duration
    ) {
        let route = context.endpointPath ?? "-"
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue),
            "route": .string(route),
            "status": .stringConvertible(response.status.code),
            "ms": .stringConvertible(Double(duration / .microseconds(1)).rounded() / 1000),
        ]
        if let code { metadata["code"] = .string(code) }
        context.logger.log(
            level: ["/healthz", "/readyz"].contains(route) ? .debug : .info,
            "request",
            metadata: metadata
        )
    }
}

extension Response {
    /// A JSON response of the API.
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
