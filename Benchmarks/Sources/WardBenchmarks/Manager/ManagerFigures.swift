import Foundation

/// The credential manager's figures: a vault of ten thousand items, an agent that holds it, and another manager beside it.
enum ManagerFigures {
    private struct Group {
        let names: [String]
        let measure: (ManagerWorld) async throws -> [Figure]
    }

    /// What is measured together, in the order in which it is printed.
    private static var groups: [Group] {
        [
            Group(names: ["manager-unlock"], measure: unlock),
            Group(names: ["manager-site-lookup"], measure: lookup),
            Group(names: ["manager-add-bytes", "manager-add-bytes-growth"], measure: adding),
            Group(names: ["manager-list-all", "manager-list-all-first", "manager-list-query"], measure: listing),
            Group(names: ["manager-agent-memory"], measure: memory),
            Group(
                names: [
                    "manager-command-locked", "manager-command-no-agent", "manager-command-open",
                    "manager-command-open-json",
                ],
                measure: commands
            ),
            Group(names: ["manager-import"], measure: importing),
            Group(names: ["manager-audit"], measure: auditing),
        ]
    }

    /// Measures what is wanted; the vault is made only if anything is.
    static func run(isWanted: (String) -> Bool, _ report: (Figure) -> Void) async throws {
        let groups = groups.filter { $0.names.contains(where: isWanted) }
        guard !groups.isEmpty else { return }
        let world = try await ManagerWorld()
        defer { world.remove() }
        for group in groups {
            for figure in try await group.measure(world) where isWanted(figure.name) { report(figure) }
        }
    }
}
