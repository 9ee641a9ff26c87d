import Foundation

/// One figure beside its limit: both measured in turns in the same run, because a core's speed drifts by a quarter here.
struct Measurement {
    let name: String
    let title: String
    let limitTitle: String
    /// The highest ratio that is still good, where one is promised.
    var bound: Double?
    /// How many operations one turn holds, as a multiple of the usual.
    var batchFactor = 1.0
    /// How many operations the subject does where the limit does one, when throughputs are compared and more is better.
    var operations: Double?
    let subject: (Int) -> Void
    let limit: (Int) -> Void

    struct Result {
        /// Microseconds for one operation, or operations a second where throughputs are compared.
        let value: Double
        let limit: Double
        let unit: String
        /// The median of the rounds' own ratios, both halves of a round having run right after each other; of the best rounds
        /// where throughputs are compared.
        let ratio: Double
    }

    /// Runs both in turns.
    ///
    /// - Parameters:
    ///   - rounds: How many turns each gets.
    ///   - batch: How many operations one turn holds.
    /// - Returns: The best time of one operation in microseconds, and the median ratio.
    func run(rounds: Int, batch: Int) -> Result {
        let batch = max(1, Int(Double(batch) * batchFactor))
        subject(batch)
        limit(batch)
        var subjects: [Double] = []
        var limits: [Double] = []
        for round in 0..<rounds {
            // The order changes, so that a drifting clock favours neither.
            if round.isMultiple(of: 2) {
                subjects.append(time { subject(batch) })
                limits.append(time { limit(batch) })
            } else {
                limits.append(time { limit(batch) })
                subjects.append(time { subject(batch) })
            }
        }
        let ratios = zip(subjects, limits).map { $0 / $1 }.sorted()
        let ratio = ratios[ratios.count / 2]
        let ours = (subjects.min() ?? 0) / Double(batch)
        let theirs = (limits.min() ?? 0) / Double(batch)
        guard let operations else { return Result(value: ours, limit: theirs, unit: "us", ratio: ratio) }
        // Whatever else runs takes the second core away and never gives one: the best rounds say what the code can do.
        return Result(
            value: operations * 1e6 / ours,
            limit: 1e6 / theirs,
            unit: "1/s",
            ratio: operations * theirs / ours
        )
    }

    /// Microseconds of processor time, so that other programs do not count; of the wall's clock where threads are compared.
    private func time(_ work: () -> Void) -> Double {
        let clock = operations == nil ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC
        var before = timespec()
        var after = timespec()
        clock_gettime(clock, &before)
        work()
        clock_gettime(clock, &after)
        return Double(after.tv_sec - before.tv_sec) * 1e6 + Double(after.tv_nsec - before.tv_nsec) / 1e3
    }
}

/// Keeps a result from being optimized away.
@inline(never)
func keep<T>(_ value: T) {
    withExtendedLifetime(value) {}
}

extension Measurement {
    /// Measures, and says it.
    func figure() -> Figure {
        let result = run(rounds: operations == nil ? 101 : 21, batch: 100)
        let sides = [("ours ", result.value, ""), ("limit", result.limit, "  (\(limitTitle))")]
        let lines = sides.map { label, value, note in
            let perSecond = result.unit == "us" ? 1e6 / value : value
            let time = result.unit == "us" ? "\(rounded(value, 2)) µs  " : ""
            return "\(label)  \(time)\(rounded(perSecond, 0)) per second\(note)"
        }
        let promise = bound.map { "  (promised: at \(operations == nil ? "most" : "least") \(rounded($0, 2)))" }
        return Figure(
            name: name,
            title: title,
            value: result.value,
            limit: result.limit,
            unit: result.unit,
            ratio: result.ratio,
            lines: lines + ["ratio  \(rounded(result.ratio, 3))\(promise ?? "")"]
        )
    }
}
