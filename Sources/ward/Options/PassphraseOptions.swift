import ArgumentParser

/// Options among which a command can get the passphrase.
///
/// A group inside a group would spare these properties, but a debug build checks every group once more for each group around it:
/// that was a quarter of the time of a command.
protocol PassphraseOptions: ParsableArguments {
    /// `--passphrase-fd`.
    var passphraseDescriptor: Int32? { get }
}

extension PassphraseOptions {
    static var passphraseHelp: ArgumentHelp {
        ArgumentHelp(
            "Read the passphrase from this file descriptor. No other prompt appears for this command.",
            valueName: "n"
        )
    }

    static var noPromptHelp: ArgumentHelp {
        "Show no prompts. If a prompt would be needed, the command ends with an error."
    }

    static var jsonHelp: ArgumentHelp { "Print JSON." }

    /// The passphrase from the file descriptor, up to the first line feed; `nil` if no descriptor was given.
    ///
    /// - Throws: ``Failure`` when nothing can be read there.
    func passphrase() throws -> String? {
        guard let passphraseDescriptor else { return nil }
        return try AgentOptions.readLine(passphraseDescriptor, "--passphrase-fd \(passphraseDescriptor)")
    }
}
