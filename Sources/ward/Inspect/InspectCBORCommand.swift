import ArgumentParser
import WardInspection

/// Shows CBOR.
struct InspectCBORCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cbor",
        abstract: "Decode CBOR: an attestation object, a key, a QR code."
    )
    @OptionGroup var output: OutputOptions
    @Argument(help: "File, the text itself, or - for standard input.") var material = "-"

    func run() throws {
        try Inspecting(known: nil, output: output).run(material) { $0.cbor($1) }
    }
}
