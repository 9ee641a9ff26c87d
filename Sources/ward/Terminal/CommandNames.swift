import ArgumentParser

/// The names of commands, and the nearest one to a mistyped name.
enum CommandNames {
    /// Checks that the words begin with the names of commands that exist.
    ///
    /// - Throws: ``Failure`` that names the nearest command.
    static func check(_ words: [String], of root: any ParsableCommand.Type) throws {
        var path = name(of: root)
        var command = root
        var isRoot = true
        var rest = words[...]
        while let word = rest.popFirst() {
            let subcommands = all(of: command)
            if isRoot, word.hasPrefix(CommandHints.option) {
                throw Failure(.usage, "Name the vault after the command: \(path) list \(CommandHints.option) NAME")
            }
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return }
            if let next = subcommand(word, of: command) {
                path += " \(word)"
                command = next
                isRoot = false
                continue
            }
            if isRoot, word == "help" {
                path += " help"
                continue
            }
            let names = subcommands.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
            let next =
                nearest(to: word, among: names).map { "Did you mean: \(path) \($0)" }
                ?? "See the commands: \(path) --help"
            throw Failure(.usage, "There is no command “\(path) \(word)”. \(next)")
        }
    }

    /// The name that a person most likely meant, or `nil`.
    static func nearest(to word: String, among names: [String]) -> String? {
        let word = word.lowercased()
        if word.count >= 3, let whole = names.first(where: { $0.hasPrefix(word) }) { return whole }
        let ranked = names.map { (name: $0, distance: distance(word, $0)) }.sorted { $0.distance < $1.distance }
        if let first = ranked.first, first.distance <= max(1, first.name.count / 2) { return first.name }
        return names.first { word.hasPrefix($0) }
    }

    /// The subcommand of a name; `nil` if there is none.
    static func subcommand(_ word: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
        all(of: command).first { name(of: $0) == word }
    }

    private static func all(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    /// How many characters to insert, remove, replace or swap with a neighbour (optimal string alignment).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.prefix(64)), Array(second))
        var before: [Int] = []
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var next = [line + 1]
            for (column, other) in second.enumerated() {
                var least = min(row[column + 1], next[column]) + 1
                least = min(least, row[column] + (letter == other ? 0 : 1))
                if line > 0, column > 0, letter == second[column - 1], first[line - 1] == other {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
