/// What a schedule ended with.
struct Report: Sendable {
    var seed: UInt64
    /// What is wrong; empty when all is well.
    var findings: [String]
    /// What happened.
    var log: [String]

    /// Runs the schedule of a seed.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - world: A number that no schedule has that runs at the same time.
    ///   - steps: The number of steps; `nil` for the number that the seed gives.
    ///   - skipped: The steps that are left out.
    static func of(_ seed: UInt64, world: Int32, steps: Int? = nil, skipping skipped: Set<Int> = [])
        async -> Report
    {
        let simulation = Simulation(Plan(seed: seed, length: steps), world: world)
        simulation.skipped = skipped
        await simulation.run()
        return Report(seed: seed, findings: simulation.findings, log: simulation.log)
    }

    /// The same failure with as few steps as can be found quickly.
    func shortened(world: Int32) async -> Report {
        var steps = Plan(seed: seed).length
        var best = self
        // From the end first: the failure needs nothing that comes after it.
        var lower = 0
        while lower < steps {
            let middle = (lower + steps) / 2
            let report = await Report.of(seed, world: world, steps: middle)
            if !isSame(report) { lower = middle + 1 } else { (steps, best) = (middle, report) }
        }
        var skipped: Set<Int> = []
        for step in (0..<steps).reversed() {
            let report = await Report.of(
                seed,
                world: world,
                steps: steps,
                skipping: skipped.union([step])
            )
            if isSame(report) {
                skipped.insert(step)
                best = report
            }
        }
        return best
    }

    /// Whether another run failed in the same way.
    private func isSame(_ other: Report) -> Bool {
        guard let mine = findings.first, let theirs = other.findings.first else { return false }
        return mine.prefix { $0 != ":" }.filter { !$0.isNumber } == theirs.prefix { $0 != ":" }.filter { !$0.isNumber }
    }
}
