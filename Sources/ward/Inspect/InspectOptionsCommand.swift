import ArgumentParser
import WardInspection

/// Shows the options of a ceremony.
struct InspectOptionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Decode the options that a service sends."
    )
    @OptionGroup var output: OutputOptions
    @Argument(help: "File, the text itself, or - for standard input.") var material = "-"

    func run() throws {
        try Inspecting(known: nil, output: output).run(material) { try $0.options($1) }
    }
}
