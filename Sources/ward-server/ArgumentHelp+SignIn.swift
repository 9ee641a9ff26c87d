import ArgumentParser

/// What `--help` says of the settings for accounts and sign-in.
extension ArgumentHelp {
    static let sessionIdle = ArgumentHelp(
        "End a session after this time without a request (default: 14d).",
        valueName: "duration"
    )

    static let sessionAbsolute = ArgumentHelp(
        "The maximum lifetime of a session (default: 90d).",
        valueName: "duration"
    )

    static let deviceBoundSessions = ArgumentHelp(
        """
        Ask browsers to bind new sessions to their device, on or off (default: on). Browsers that cannot do that \
        ignore it.
        """,
        valueName: "on|off"
    )

    static let deviceProofLifetime = ArgumentHelp(
        "How long the cookies of a bound session count without a new proof by the device, 2s to 1h (default: 5m).",
        valueName: "duration"
    )

    static let registration = ArgumentHelp(
        "Who may create an account: open (everybody), invite (with an invitation) or closed (nobody) (default: open).",
        valueName: "policy"
    )

    static let userVerification = ArgumentHelp(
        """
        User verification at sign-in, preferred or required (default: preferred). Without verification a sign-in is \
        one factor, and sensitive changes need a second one.
        """,
        valueName: "requirement"
    )

    static let algorithms = ArgumentHelp(
        """
        Signature algorithms of new passkeys, best first, with commas between them, such as ML-DSA-65,ES256,RS256 \
        (default: ES256,EdDSA,RS256). A passkey that has a better algorithm before its own in the list gets a \
        successor without a prompt, where the browser can make one.
        """,
        valueName: "list"
    )

    static let passkeysOnly = ArgumentHelp("Accept no passwords. Stored passwords stay stored but no longer sign in.")

    static let passwordMemory = ArgumentHelp(
        "Memory for checking a password, 19MiB to 1GiB (default: 19MiB).",
        valueName: "amount"
    )

    static let passwordPasses = ArgumentHelp(
        "Argon2id passes over that memory, 2 to 64 (default: 2).",
        valueName: "passes"
    )

    static let passwordLength = ArgumentHelp(
        "Minimum length of new passwords, 8 to 64 (default: 15). Existing shorter ones stay.",
        valueName: "characters"
    )

    static let breachedPasswords = ArgumentHelp(
        """
        Passwords from data breaches, which new passwords must not be: a file with sorted SHA-1 hashes, one per line, \
        or an address such as https://api.pwnedpasswords.com/range/.
        """,
        valueName: "path or address"
    )

    static let reservedName = ArgumentHelp(
        "A reserved user name: no new account can have it; can be repeated.",
        valueName: "name"
    )

    static let mixedScriptNames = ArgumentHelp(
        "Allow user names that mix scripts or have rare letters. A name can then look like the name of another account."
    )

    static let recoveryWait = ArgumentHelp(
        """
        How long a recovery waits after its notice has left, if nothing else proves who asks for it, 1h to 30d \
        (default: 3d).
        """,
        valueName: "duration"
    )

    static let recoveryHelpers = ArgumentHelp(
        "Let people name up to three others who approve their recovery, beside the mailed link. Needs --mail."
    )

    static let identityProviders = ArgumentHelp(
        """
        A JSON file with the identity providers where people may sign in, such as Google or Apple (default: none). \
        Documentation/federated.md has its form.
        """,
        valueName: "path"
    )

    static let policy = ArgumentHelp(
        "A JSON file with rules: which groups need a passkey, of which kind, and from which day (default: no rules).",
        valueName: "path"
    )

    static let offerInterval = ArgumentHelp(
        "The time between two offers of a passkey to an account that has none, up to 365d; 0d for none (default: 7d).",
        valueName: "duration"
    )
}
