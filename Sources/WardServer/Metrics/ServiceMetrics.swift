import Synchronization

/// The number and the times of answers, for Prometheus.
///
/// Labels come only from the service's own routes, so strangers cannot create new ones.
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
        var refusals: [String: Int] = [:]
        /// Only the outboxes that the service has.
        var outboxes: [Outbox: OutboxNumbers] = [:]
    }

    private struct OutboxNumbers {
        var sent = 0
        var failed = 0
        var waiting = 0
    }

    /// The upper bounds of the histogram, in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The limits that are there from the start, so that an alert on a first refusal works.
    private static let limits = [
        "address", "connections", "device", "name", "new_accounts", "overall", "password_queue",
    ]

    private let state: Mutex<State>
    private let startedAt: Int64

    /// - Parameter startedAt: When the service started, in seconds since 1970.
    package init(startedAt: Int64) {
        self.startedAt = startedAt
        state = Mutex(State(refusals: Dictionary(Self.limits.map { ($0, 0) }) { first, _ in first }))
    }

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

    /// Counts a request or connection that a limit refused.
    ///
    /// - Parameter limit: The limit: a word of the service's own.
    package func count(refusedBy limit: String) {
        state.withLock { $0.refusals[limit, default: 0] += 1 }
    }

    /// Counts a row of an outbox that was sent, or that is not tried again.
    package func count(_ outbox: Outbox, wasSent: Bool) {
        state.withLock { state in
            var numbers = state.outboxes[outbox] ?? OutboxNumbers()
            if wasSent { numbers.sent += 1 } else { numbers.failed += 1 }
            state.outboxes[outbox] = numbers
        }
    }

    /// Notes how many rows of an outbox wait.
    package func setWaiting(_ count: Int, in outbox: Outbox) {
        state.withLock { $0.outboxes[outbox, default: OutboxNumbers()].waiting = count }
    }

    /// The numbers in Prometheus' [text format](https://prometheus.io/docs/instrumenting/exposition_formats/).
    package var text: String {
        let (answers, times, refusals, outboxes) = state.withLock { ($0.answers, $0.times, $0.refusals, $0.outboxes) }
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
        lines += [
            "# HELP ward_limit_refusals_total Requests that a limit refused, and connections closed for others.",
            "# TYPE ward_limit_refusals_total counter",
        ]
        lines += refusals.sorted { $0.key < $1.key }.map { limit, count in
            "ward_limit_refusals_total\(Self.labels([("limit", limit)])) \(count)"
        }
        for outbox in Outbox.allCases {
            guard let numbers = outboxes[outbox] else { continue }
            let (name, noun) = ("ward_\(outbox.rawValue)", outbox.noun)
            lines += [
                "# HELP \(name)_total \(noun) that were sent, and those that failed and are not tried again.",
                "# TYPE \(name)_total counter", "\(name)_total{outcome=\"sent\"} \(numbers.sent)",
                "\(name)_total{outcome=\"failed\"} \(numbers.failed)",
                "# HELP \(name)_waiting \(noun) that wait to be sent.", "# TYPE \(name)_waiting gauge",
                "\(name)_waiting \(numbers.waiting)",
            ]
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
