import ArgumentParser
import WardInspection

/// Reads what somebody has in hand and shows it decoded, with the verdict of every step.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows a WebAuthn message decoded, and says whether a service should take it.",
        discussion: """
            What to look at is a file, an argument, or standard input: JSON, base64url, base64, hexadecimal, PEM, or the \
            text of a cross-device QR code. With --rp-id a registration is verified, with --public-key an assertion too; \
            what else is known makes the verdict stricter, and what is not known is said not to be checked.

            Exit status: 0 accepted or shown, 1 refused, 2 usage.
            """,
        subcommands: [Registration.self, Assertion.self, Options.self, CBOR.self, Certificate.self]
    )

    struct Registration: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The answer to a request to make a credential.")
        @OptionGroup var known: KnownOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "A file, the text itself, or - for standard input.") var material = "-"

        func run() throws {
            try Inspecting(known: known, output: output).run(material) { try $0.registration($1) }
        }
    }

    struct Assertion: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The answer to a request to use a credential.")
        @OptionGroup var known: KnownOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "A file, the text itself, or - for standard input.") var material = "-"

        func run() throws {
            try Inspecting(known: known, output: output).run(material) { try $0.assertion($1) }
        }
    }

    struct Options: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "What a service asks of a browser.")
        @OptionGroup var output: OutputOptions
        @Argument(help: "A file, the text itself, or - for standard input.") var material = "-"

        func run() throws {
            try Inspecting(known: nil, output: output).run(material) { try $0.options($1) }
        }
    }

    struct CBOR: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cbor",
            abstract: "Any CBOR: an attestation object, a key, a QR code."
        )
        @OptionGroup var output: OutputOptions
        @Argument(help: "A file, the text itself, or - for standard input.") var material = "-"

        func run() throws {
            try Inspecting(known: nil, output: output).run(material) { $0.cbor($1) }
        }
    }

    struct Certificate: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "A certificate of an attestation.")
        @OptionGroup var output: OutputOptions
        @Argument(help: "A file, the text itself, or - for standard input.") var material = "-"

        func run() throws {
            try Inspecting(known: nil, output: output).run(material) { $0.certificate($1) }
        }
    }
}
