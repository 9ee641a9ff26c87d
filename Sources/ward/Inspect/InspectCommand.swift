import ArgumentParser

/// Decodes a WebAuthn message and shows the verdict of every step.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode a WebAuthn message, and show whether a service should accept it.",
        discussion: """
            The message is a file, an argument, or standard input: JSON, base64url, base64, hexadecimal, PEM, or the text of a \
            cross-device QR code. --rp-id verifies a registration; an assertion needs --public-key too. Further options make \
            the verdict stricter. Checks that lack an option are listed as not checked.
            """,
        subcommands: [
            InspectRegistrationCommand.self, InspectAssertionCommand.self, InspectOptionsCommand.self,
            InspectCBORCommand.self, InspectCertificateCommand.self,
        ]
    )
}
