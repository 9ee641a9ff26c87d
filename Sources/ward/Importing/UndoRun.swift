import ArgumentParser
import Foundation
import WardAgentClient

/// Undoes the latest import, merge or split: a report first, then one transaction.
struct UndoRun: Sendable {
    /// The kind of the step: `import`, `merge` or `split`.
    let kind: String
    let options: AgentOptions
    let apply: Bool
    let includesChanged: Bool

    private static let shown = 20

    func run() async throws {
        let authorization = try options.authorization()
        let first = UndoStep(
            authorization: authorization,
            kind: kind,
            includesChanged: includesChanged,
            apply: apply
        )
        try await options.withAgent { agent in
            let report = try await agent.call(first)
            if options.json { return try Output.json(report) }
            let paint = Paint(isOn: Paint.isWanted)
            Output.lines(lines(report, paint))
            if !apply {
                guard report.isPossible else { return Output.lines([refusal(report)]) }
                guard Terminal.isInteractive, !options.noPrompt else { return Output.lines([next]) }
                guard try Question.confirm("Undo this \(kind)?") else { throw Failure(.denied, "Nothing was changed") }
                var method = first
                method.step = report.step
                method.apply = true
                _ = try await agent.call(method)
            }
            Output.lines(["The \(kind) was undone."])
        }
    }

    private func lines(_ report: UndoStep.Result, _ paint: Paint) -> [String] {
        var lines = ["\(kind.prefix(1).uppercased() + kind.dropFirst()) of \(When.minute(report.time))", ""]
        add(&lines, report, "trashed", paint.yellow("-"), "Goes to the trash")
        add(&lines, report, "reverted", paint.green("←"), "Gets its earlier revision")
        add(&lines, report, "changed", paint.yellow("!"), "Changed since, and stays as it is")
        add(&lines, report, "missing", paint.dim("·"), "In the trash or removed already")
        return lines
    }

    private func add(
        _ lines: inout [String],
        _ report: UndoStep.Result,
        _ outcome: String,
        _ mark: String,
        _ heading: String
    ) {
        let found = report.lines.filter { $0.outcome == outcome }
        guard !found.isEmpty else { return }
        lines.append("\(mark) \(heading): \(found.count)")
        // What stays as it is must be named in full.
        let limit = outcome != "changed" && Terminal.width > 0 ? Self.shown : found.count
        lines += found.prefix(limit).map { "    \(Table.clean($0.title)) [\($0.item.prefix(8))]" }
        if found.count > limit { lines.append("    and \(found.count - limit) more") }
        lines.append("")
    }

    private var next: String {
        let changed = includesChanged ? " --include-changed" : ""
        return CommandHints.here("Nothing was changed. To undo: ward \(kind) --undo\(changed) --apply")
    }

    private func refusal(_ report: UndoStep.Result) -> String {
        guard report.lines.contains(where: { $0.outcome == "changed" }) else {
            return "Nothing was changed: this \(kind) cannot be undone any more."
        }
        return CommandHints.here(
            "Nothing was changed. To undo the changed items too: ward \(kind) --undo --include-changed --apply"
        )
    }
}

/// The options that undo a step.
struct UndoOptions: ParsableArguments {
    @Flag(help: "With --undo: also items that were changed since. Their later revisions stay in the history.")
    var includeChanged = false
}
