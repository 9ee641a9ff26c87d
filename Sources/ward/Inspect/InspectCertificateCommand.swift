import ArgumentParser
import WardInspection

/// Shows a certificate.
struct InspectCertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Decode a certificate of an attestation."
    )
    @OptionGroup var output: OutputOptions
    @Argument(help: "File, the text itself, or - for standard input.") var material = "-"

    func run() throws {
        try Inspecting(known: nil, output: output).run(material) { $0.certificate($1) }
    }
}
