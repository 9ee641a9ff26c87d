import ArgumentParser

/// What `--help` says of the settings for logs, messages and files.
extension ArgumentHelp {
    static let logLevel = ArgumentHelp(
        "Log level: trace, debug, info, notice, warning, error or critical (default: info).",
        valueName: "level"
    )

    static let logFormat = ArgumentHelp("Log format: text or json (default: text).", valueName: "format")

    static let fidoConformance: ArgumentHelp = """
        Serve the FIDO conformance API, which lets every caller sign in to every account. For tests only: it needs the \
        RP ID localhost or --database :memory:.
        """

    static let auditRetention = ArgumentHelp(
        "How long the audit log's rows are stored, 1d to 3650d (default: 400d).",
        valueName: "duration"
    )

    static let keyRotation = ArgumentHelp(
        "How long a key signs ID tokens of OpenID Connect before a new one does, 1d to 3650d (default: 90d).",
        valueName: "duration"
    )

    static let auditAddresses: ArgumentHelp = """
        Keep clients' addresses in the audit log: IPv4 addresses, and the first 56 bits of IPv6 addresses. Needs \
        --trusted-proxies.
        """

    static let mail = ArgumentHelp(
        """
        Send mail through this server: smtp://HOST:PORT, smtps://HOST:PORT, or folder:PATH to write each message into \
        a folder (default: send none).
        """,
        valueName: "route"
    )

    static let mailFrom = ArgumentHelp("The address that mail comes from. --mail needs it.", valueName: "address")

    static let mailLogin = ArgumentHelp(
        "A file with two lines, the user name and the password for the mail server (default: send without).",
        valueName: "path"
    )

    static let mailCA = ArgumentHelp(
        "A PEM file with the certificates to trust for the mail server (default: those of the system).",
        valueName: "path"
    )

    static let textWebhook = ArgumentHelp(
        """
        Ask the program at this address to send text messages with codes to telephones: https://, or http:// on this \
        machine (default: send none).
        """,
        valueName: "address"
    )

    static let textWebhookSecrets = ArgumentHelp(
        """
        A file with the secrets that sign the requests of --text-webhook, one a line, from ward-server webhooks \
        secret. --text-webhook needs it.
        """,
        valueName: "path"
    )

    static let textPrefix = ArgumentHelp(
        "What a telephone number must begin with to get text messages, such as +49; can be repeated (default: any).",
        valueName: "digits"
    )

    static let textLimit = ArgumentHelp(
        "The largest number of text messages a day, 1 to 1000000 (default: 1000).",
        valueName: "number"
    )

    static let webhook = ArgumentHelp(
        """
        Tell this address what happens to accounts, with signed webhooks: https://, or http:// on this machine \
        (default: tell nobody).
        """,
        valueName: "address"
    )

    static let webhookSecrets = ArgumentHelp(
        "A file with the secrets that sign webhooks, one a line, from ward-server webhooks secret. --webhook needs it.",
        valueName: "path"
    )

    static let webhookEvent = ArgumentHelp(
        """
        An event that is sent, such as passkey_added; can be repeated (default: all but sign-ins of known browsers and \
        sign-outs).
        """,
        valueName: "event"
    )

    static let auditKey = ArgumentHelp(
        """
        File of the key that signs the audit log. The first start creates it (default: audit.key beside the database).
        """,
        valueName: "path"
    )

    static let auditHeads = ArgumentHelp(
        """
        A file to which the service also writes the audit log's signed heads (default: only the service's log has \
        them).
        """,
        valueName: "path"
    )

    static let database = ArgumentHelp(
        "The path of the SQLite database. :memory: stores nothing on disk (default: ward-data/ward.sqlite).",
        valueName: "path"
    )

    static let config = ArgumentHelp(
        "A JSON file with settings. The names are the same as those of the options.",
        valueName: "path"
    )
}
