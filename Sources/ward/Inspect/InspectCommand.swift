import ArgumentParser

/// Decodes a WebAuthn message and shows the verdict of every step.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode a WebAuthn message, and show whether a service should accept it.",
        discussion: """
            The message is a file, an argument, or standard input. It can be JSON, base64url, base64, hexadecimal, PEM, or \
            the text of a cross-device QR code. To verify a registration, add --rp-id; to verify an assertion, also \
            --public-key. Other options make the check stricter. The output lists the checks that were not made because an \
            option is missing.
            """,
        subcommands: [
            InspectRegistrationCommand.self, InspectAssertionCommand.self, InspectOptionsCommand.self,
            InspectCBORCommand.self, InspectCertificateCommand.self,
        ]
    )
}
