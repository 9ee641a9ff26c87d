import ArgumentParser

/// Options of commands that set a passphrase.
struct NewPassphraseOptions: ParsableArguments {
    @Flag(help: "Accept a weak new passphrase.")
    var weak = false

    /// The new passphrase, if it came from a file descriptor.
    ///
    /// - Throws: ``Failure`` when it is weak and `--weak` is not set.
    func checked(_ passphrase: String?) throws -> String? {
        guard let passphrase, !passphrase.isEmpty, !weak, PassphraseStrength(passphrase).isWeak else {
            return passphrase
        }
        throw Failure(
            .usage,
            "The passphrase is too weak. Use six random words (ward generate --words 6), or add --weak"
        )
    }
}
