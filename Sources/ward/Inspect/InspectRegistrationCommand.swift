import ArgumentParser
import WardInspection

/// Shows a registration.
struct InspectRegistrationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration",
        abstract: "Decode a registration response."
    )
    @OptionGroup var known: KnownOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "File, the text itself, or - for standard input.") var material = "-"

    func run() throws {
        try Inspecting(known: known, output: output).run(material) { try $0.registration($1) }
    }
}
