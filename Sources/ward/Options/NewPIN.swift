import ArgumentParser

/// A PIN that the person chooses.
struct NewPIN: ParsableArguments {
    @Option(
        name: .customLong("pin-fd"),
        help: ArgumentHelp("Read the new PIN from this file descriptor.", valueName: "n")
    )
    var descriptor: Int32?

    /// Reads the PIN from the file descriptor, or asks for it twice.
    ///
    /// - Throws: ``Failure``.
    func read() throws -> String {
        if let descriptor { return try AgentOptions.readLine(descriptor, "--pin-fd \(descriptor)") }
        while true {
            let typed = try Question.secret("New PIN: ")
            if try Question.secret("Again:   ") == typed { return String(decoding: typed, as: UTF8.self) }
            Terminal.note("  The PINs differ. Enter the PIN again:")
        }
    }
}
