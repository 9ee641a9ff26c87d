import WardTerminal

/// Asks on the terminal.
enum Question {
    /// Reads a line without showing it.
    ///
    /// - Throws: ``Failure`` when the person gives up, or when there is no terminal.
    static func secret(_ label: String) throws -> [UInt8] { try line(label, isShown: false) }

    /// Reads a line and shows it.
    static func text(_ label: String) throws -> String {
        String(decoding: try line(label, isShown: true), as: UTF8.self)
    }

    /// Asks a yes-or-no question.
    ///
    /// Enter alone means no.
    static func confirm(_ label: String) throws -> Bool {
        let answer = try text(label + " [y/N] ").lowercased()
        return answer == "y" || answer == "yes"
    }

    private static func line(_ label: String, isShown: Bool) throws -> [UInt8] {
        do throws(TerminalFailure) {
            return try TerminalQuestion.ask(Screen.lines(label), isShown: isShown)
        } catch {
            switch error {
            case .cancelled, .endOfInput: throw Failure(.denied, "Cancelled")
            case .missing: throw Failure(.usage, "There is no terminal to ask on: use --passphrase-fd")
            case .unusable: throw Failure(.usage, "This terminal cannot hide what you type: use --passphrase-fd")
            }
        }
    }
}
