import ArgumentParser
import WardInspection

/// Shows an assertion.
struct InspectAssertionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assertion",
        abstract: "Decode an authentication response."
    )
    @OptionGroup var known: KnownOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "File, the text itself, or - for standard input.") var material = "-"

    func run() throws {
        try Inspecting(known: known, output: output).run(material) { try $0.assertion($1) }
    }
}
