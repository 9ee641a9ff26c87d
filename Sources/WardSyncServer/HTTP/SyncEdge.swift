import HTTPTypes
package import Hummingbird
import Logging
import WardSyncRecords

/// Wraps every handler: it turns errors into responses, adds header fields and logs requests.
package struct SyncEdge: HTTPResponder {
    private let router: RouterResponder<SyncRequestContext>
    /// The methods of each path.
    private let table: [(components: [Substring], methods: Set<String>)]

    init(_ router: Router<SyncRequestContext>) {
        self.router = router.buildResponder()
        var methods: [String: Set<String>] = [:]
        for route in router.routes { methods[route.path.description, default: []].insert(route.method.rawValue) }
        table = methods.map { ($0.key.split(separator: "/"), $0.value) }
    }

    package func respond(to request: Request, context: SyncRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        var (response, code) = await answer(request, context)
        // What is stored here is for the devices of one person, and each answer depends on the session.
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentTypeOptions] = "nosniff"
        log(request, context, response, code, took: ContinuousClock.now - start)
        return response
    }

    private func answer(_ request: Request, _ context: SyncRequestContext) async -> (Response, String?) {
        let error: SyncError
        do {
            let response = try await router.respond(to: request, context: context)
            // The framework's own refusals have no body.
            guard response.status.code >= 400, response.body.contentLength == 0 else { return (response, nil) }
            error = generic(response.status, request)
        } catch let thrown as SyncError {
            error = thrown
        } catch let thrown as SyncStoreError {
            if !thrown.code.isRefusal {
                context.logger.error("store failed", metadata: ["reason": .string("\(thrown)")])
            }
            error = SyncError(thrown)
        } catch let thrown as any HTTPResponseError {
            error = generic(thrown.status, request)
        } catch is CancellationError {
            error = SyncError(.unavailable, "The service is stopping.")
        } catch {
            // The type of an error has no data of a client in it, and its text may have.
            context.logger.error("request failed", metadata: ["error": .string(String(reflecting: type(of: error)))])
            return refusal(SyncError(.internalError, "The service failed."))
        }
        return refusal(error)
    }

    private func refusal(_ error: SyncError) -> (Response, String?) { (error.response, error.code.name) }

    /// The framework's own errors: the path is unknown, or it does not support the method.
    private func generic(_ status: HTTPResponse.Status, _ request: Request) -> SyncError {
        guard status == .notFound else {
            return SyncError(.malformedRequest, "The request is not valid.")
        }
        let path = request.uri.path.split(separator: "/")
        let methods = table.filter { Self.matches($0.components, path) }.reduce(into: Set()) {
            $0.formUnion($1.methods)
        }
        guard !methods.isEmpty else { return SyncError(.notFound, "Nothing exists at this address.") }
        var error = SyncError(.methodNotAllowed, "This address does not support the method.")
        error.fields[.allow] = methods.sorted().joined(separator: ", ")
        return error
    }

    private static func matches(_ template: [Substring], _ path: [Substring]) -> Bool {
        template.count == path.count
            && zip(template, path).allSatisfy { $0.first == "{" || $0.first == ":" || $0 == $1 }
    }

    /// The log has only values of the service itself: never a token, an ID, a query or a body.
    private func log(
        _ request: Request,
        _ context: SyncRequestContext,
        _ response: Response,
        _ code: String?,
        took duration: Duration
    ) {
        let route = context.endpointPath ?? "-"
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue), "route": .string(route),
            "status": .stringConvertible(response.status.code),
            "ms": .stringConvertible(Double(duration / .microseconds(1)).rounded() / 1000),
        ]
        if let code { metadata["code"] = .string(code) }
        context.logger.log(
            level: ["/healthz", "/readyz"].contains(route) ? .debug : .info,
            "sync request",
            metadata: metadata
        )
    }
}

extension HTTPField.Name {
    /// `X-Content-Type-Options`.
    ///
    /// The names here are valid, so the fallbacks are never used.
    fileprivate static let contentTypeOptions = Self("X-Content-Type-Options") ?? .contentType
    /// The name of the server's order of entries.
    static let wardOrder = Self("Ward-Order") ?? .contentType
    /// The hash of the entry that begins the circle.
    static let wardCircle = Self("Ward-Circle") ?? .contentType
    /// Whether a later upload names the entries of this one that do not count.
    static let wardNamed = Self("Ward-Named") ?? .contentType
}
