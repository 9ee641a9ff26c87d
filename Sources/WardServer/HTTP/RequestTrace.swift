import HTTPTypes
import Hummingbird
import Logging

/// The trace of one request, where a trusted proxy says that there is one.
///
/// Strangers cannot choose it: the fields of a client that is not a trusted proxy are ignored.
struct RequestTrace {
    private let context: TraceContext

    /// Takes the trace of a request from a trusted proxy, and begins a span of its own in it.
    ///
    /// - Parameter request: A request of a trusted proxy. Without a valid `traceparent` there is no trace.
    init?(_ request: Request) {
        guard let field = request.headers.only(.traceparent),
            let parent = TraceContext(traceparent: field)
        else { return nil }
        self.context = parent.child()
    }

    /// Puts the trace into every line that the context's logger writes.
    ///
    /// The names are the ones of [OpenTelemetry](https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/).
    func note(in context: inout WardRequestContext) {
        context.logger[metadataKey: "trace_id"] = .string(self.context.traceID)
        context.logger[metadataKey: "span_id"] = .string(self.context.parentID)
    }

    /// Adds the field `traceresponse`, which tells the proxy the ID of the service's span in the trace.
    func note(in response: inout Response) {
        response.headers[.traceresponse] = context.text
    }
}

extension HTTPField.Name {
    fileprivate static let traceparent = known("traceparent")
    fileprivate static let traceresponse = known("traceresponse")
}
