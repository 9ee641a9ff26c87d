import Foundation

/// One figure beside its limit, as it is printed.
struct Figure {
    let name: String
    let title: String
    let value: Double
    let limit: Double
    let unit: String
    let ratio: Double
    /// What stands behind the values, for people.
    var lines: [String]
    /// The least that anything like it costs, measured in the same run, where the limit is a number that was wanted.
    var bare: Double?

    /// Prints it, for people or as one line of JSON.
    func print(asJSON isJSON: Bool) {
        if isJSON {
            Swift.print(
                "{\"name\":\"\(name)\",\"value\":\(rounded(value, 3)),\"unit\":\"\(unit)\","
                    + "\"limit\":\(rounded(limit, 3)),\"ratio\":\(rounded(ratio, 3))"
                    + (bare.map { ",\"bare\":\(rounded($0, 3))" } ?? "") + "}"
            )
        } else {
            Swift.print(title)
            for line in lines { Swift.print("  " + line) }
        }
        // What was measured is seen at once, also through a pipe.
        fflush(nil)
    }
}

extension Figure {
    /// Times beside those of something else, measured in turns.
    init(
        name: String,
        title: String,
        ours: Samples,
        theirs: Samples,
        limitTitle: String,
        bound: Double?,
        more: [String] = []
    ) {
        let ratios = zip(ours.values, theirs.values).map { $0 / $1 }
        let ratio = Samples(ratios).median
        self.init(
            name: name,
            title: title,
            value: ours.best,
            limit: theirs.best,
            unit: "ms",
            ratio: ratio,
            lines: [
                "ours   \(ours.text)",
                "limit  \(theirs.text)  (\(limitTitle))",
                "ratio  \(rounded(ratio, 3)), median of the rounds; \(rounded(ours.best / theirs.best, 3)) of the best"
                    + Self.promise(bound),
            ] + more
        )
    }

    /// A value beside a limit that is a number.
    init(
        name: String,
        title: String,
        value: Double,
        text: String,
        unit: String,
        limit: Double,
        limitText: String,
        more: [String] = []
    ) {
        self.init(
            name: name,
            title: title,
            value: value,
            limit: limit,
            unit: unit,
            ratio: value / limit,
            lines: [
                "ours   \(text)", "limit  \(limitText)",
                "ratio  \(rounded(value / limit, 3))" + Self.promise(1),
            ] + more
        )
    }

    /// Adds the least that anything like it costs, measured in the same run.
    func beside(_ bare: Double, _ title: String) -> Figure {
        var figure = self
        figure.bare = bare
        let unit = unit == "us" ? "µs" : unit
        figure.lines.append(
            "bare   \(rounded(bare, 2)) \(unit)  (\(title)); ours is \(rounded(value / bare, 2)) times that"
        )
        return figure
    }

    private static func promise(_ bound: Double?) -> String {
        bound.map { "  (promised: at most \(rounded($0, 2)))" } ?? ""
    }
}

/// What several rounds took, in milliseconds.
struct Samples: Sendable {
    private(set) var values: [Double] = []

    init(_ values: [Double] = []) { self.values = values }

    var best: Double { values.min() ?? 0 }
    var median: Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
    var text: String { "\(rounded(best, 2)) ms best, \(rounded(median, 2)) ms median of \(values.count)" }

    mutating func append(_ value: Double) { values.append(value) }

    /// Leaves the first round out, in which everything was cold.
    mutating func dropFirst() { values.removeFirst() }

    /// Runs something and remembers how much processor time it took, which other programs do not add to.
    mutating func measureProcessor<T>(_ body: () async throws -> T) async rethrows -> T {
        let before = Self.processorTime()
        let result = try await body()
        values.append(Self.processorTime() - before)
        return result
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// Runs something and remembers how long it took on the wall's clock.
    mutating func measure<T>(_ body: () async throws -> T) async rethrows -> T {
        let before = ContinuousClock.now
        let result = try await body()
        values.append((ContinuousClock.now - before) / .milliseconds(1))
        return result
    }
}

func rounded(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
