import Synchronization

/// Counts and times of the answers, for Prometheus.
///
/// Labels come from the service's own routes alone, so strangers cannot make more of them.
package final class ServiceMetrics: Sendable {
    private struct Key: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private struct Times {
        var buckets = [Int](repeating: 0, count: ServiceMetrics.bounds.count)
        var count = 0
        var seconds = 0.0
    }

    private struct State {
        var answers: [Key: Int] = [:]
        var times: [String: Times] = [:]
    }

    /// The upper bounds of the histogram, in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let state = Mutex(State())
    private let startedAt: Int64

    /// - Parameter startedAt: When the service started, in seconds since 1970.
    package init(startedAt: Int64) { self.startedAt = startedAt }

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - route: The template of the route, or `nil` if nothing exists at the address; then the method does not count.
    ///   - status: The status of the answer.
    ///   - duration: The time from the request to the answer.
    package func count(method: String, route: String?, status: Int, took duration: Duration) {
        let seconds = duration / .seconds(1)
        let key = Key(method: route == nil ? "-" : method, route: route ?? "-", status: status)
        state.withLock { state in
            state.answers[key, default: 0] += 1
            var times = state.times[key.route] ?? Times()
            times.count += 1
            times.seconds += seconds
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { times.buckets[index] += 1 }
            state.times[key.route] = times
        }
    }

    /// The numbers in Prometheus' [text format](https://prometheus.io/docs/instrumenting/exposition_formats/).
    package var text: String {
        let (answers, times) = state.withLock { ($0.answers, $0.times) }
        var lines = [
            "# HELP ward_start_time_seconds When the service started, in seconds since 1970.",
            "# TYPE ward_start_time_seconds gauge", "ward_start_time_seconds \(startedAt)",
            "# HELP ward_http_requests_total Answered requests.", "# TYPE ward_http_requests_total counter",
        ]
        lines += answers.map { key, count in
            let labels = [("method", key.method), ("route", key.route), ("status", "\(key.status)")]
            return "ward_http_requests_total\(Self.labels(labels)) \(count)"
        }.sorted()
        let name = "ward_http_request_duration_seconds"
        lines += ["# HELP \(name) Time from a request to its answer.", "# TYPE \(name) histogram"]
        for (route, times) in times.sorted(by: { $0.key < $1.key }) {
            for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], times.buckets + [times.count]) {
                lines.append("\(name)_bucket\(Self.labels([("route", route), ("le", bound)])) \(count)")
            }
            lines.append("\(name)_sum\(Self.labels([("route", route)])) \(times.seconds)")
            lines.append("\(name)_count\(Self.labels([("route", route)])) \(times.count)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func labels(_ labels: [(name: String, value: String)]) -> String {
        let pairs = labels.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }
}
