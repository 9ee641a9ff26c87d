import ArgumentParser
import Configuration

/// The settings as options.
///
/// Each is also an environment variable and a member of the settings file.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The domain of the passkeys (default: localhost). If you change it, all passkeys become unusable.",
            valueName: "domain"
        )
    )
    var rpID: String?

    @Option(help: ArgumentHelp("The service's name in prompts and pages (default: Ward).", valueName: "name"))
    var rpName: String?

    @Option(
        help: ArgumentHelp(
            "The logo of the pages: an image in SVG, PNG, WebP or JPEG, at most 256 KiB (default: Ward's).",
            valueName: "path"
        )
    )
    var logo: String?

    @Option(
        help: ArgumentHelp(
            "The picture for home screens and credential managers: a square PNG, 180 to 1024 pixels wide, at most 256 KiB (default: the logo, or Ward's).",
            valueName: "path"
        )
    )
    var icon: String?

    @Option(
        help: ArgumentHelp(
            "The color of buttons and links on the pages, dark enough to read on white; dark pages have a lighter one (default: Ward's).",
            valueName: "#rrggbb"
        )
    )
    var accentColor: String?

    @Option(
        help: ArgumentHelp(
            "The BLOB of the FIDO Metadata Service, for rules that ask for attestation and for pictures of authenticators (default: none).",
            valueName: "path"
        )
    )
    var metadata: String?

    @Option(help: ArgumentHelp("The site to which the pages lead back (default: none).", valueName: "address"))
    var homeURL: String?

    @Option(
        help: ArgumentHelp(
            "An origin of the service's pages or apps; can be repeated (default: derived from the RP ID).",
            valueName: "origin"
        )
    )
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin outside the domain that may use its passkeys; can be repeated.",
            valueName: "origin"
        )
    )
    var relatedOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app that may use the domain's passkeys and passwords, as TEAM.bundle; can be repeated.",
            valueName: "app"
        )
    )
    var app: [String] = []

    @Option(
        help: ArgumentHelp(
            "An Android app that may use the domain's passkeys and passwords, with the SHA-256 fingerprint of its certificate; can be repeated.",
            valueName: "package=fingerprint"
        )
    )
    var androidApp: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app whose proxy asks this service who is signed in, such as https://app.example.com; can be repeated.",
            valueName: "origin"
        )
    )
    var appOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin whose pages may call the API with a bearer token, without cookies; can be repeated.",
            valueName: "origin"
        )
    )
    var corsOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "The address to listen on, unix: and the path of a socket, or systemd for sockets that systemd opens (default: 127.0.0.1:8080).",
            valueName: "host:port"
        )
    )
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "The address at which /metrics has numbers for Prometheus (default: none).",
            valueName: "host:port"
        )
    )
    var metricsListen: String?

    @Option(
        help: ArgumentHelp(
            "Serve the admin API at this address, or at unix: and the path of a socket, for programs with a token of ward-server token (default: nowhere).",
            valueName: "host:port"
        )
    )
    var adminListen: String?

    @Option(
        help: ArgumentHelp(
            "The group of the people who may use the admin page, at /admin (default: there is no admin page).",
            valueName: "name"
        )
    )
    var adminGroup: String?

    @Option(
        help: ArgumentHelp(
            "A proxy in front of the service, as an address, a prefix such as 10.0.0.0/8, or unix; can be repeated. none if there is no proxy. Without it nothing is limited by address.",
            valueName: "proxy"
        )
    )
    var trustedProxies: [String] = []

    @Option(
        help: ArgumentHelp("End a session after this time without a request (default: 14d).", valueName: "duration")
    )
    var sessionIdle: String?

    @Option(help: ArgumentHelp("The maximum lifetime of a session (default: 90d).", valueName: "duration"))
    var sessionAbsolute: String?

    @Option(
        help: ArgumentHelp(
            "Ask browsers to bind new sessions to their device, on or off (default: on). Browsers that cannot do that ignore it.",
            valueName: "on|off"
        )
    )
    var deviceBoundSessions: String?

    @Option(
        help: ArgumentHelp(
            "How long the cookies of a bound session count without a new proof by the device, 2s to 1h (default: 5m).",
            valueName: "duration"
        )
    )
    var deviceProofLifetime: String?

    @Option(
        help: ArgumentHelp(
            "Who may create an account: open (everybody), invite (with an invitation) or closed (nobody) (default: open).",
            valueName: "policy"
        )
    )
    var registration: String?

    @Option(
        help: ArgumentHelp(
            "User verification at sign-in, preferred or required (default: preferred). Without verification a sign-in is one factor, and sensitive changes need a second one.",
            valueName: "requirement"
        )
    )
    var userVerification: String?

    @Option(
        help: ArgumentHelp(
            """
            Signature algorithms of new passkeys, best first, with commas between them, such as ML-DSA-65,ES256,RS256 \
            (default: ES256,EdDSA,RS256). A passkey that has a better algorithm before its own in the list gets a successor \
            without a prompt, where the browser can make one.
            """,
            valueName: "list"
        )
    )
    var algorithms: String?

    @Flag(help: "Accept no passwords. Stored passwords stay stored but no longer sign in.")
    var passkeysOnly = false

    @Option(
        help: ArgumentHelp(
            "Memory for checking a password, 19MiB to 1GiB (default: 19MiB).",
            valueName: "amount"
        )
    )
    var passwordMemory: String?

    @Option(
        help: ArgumentHelp("Argon2id passes over that memory, 2 to 64 (default: 2).", valueName: "passes")
    )
    var passwordPasses: String?

    @Option(
        help: ArgumentHelp(
            "Minimum length of new passwords, 8 to 64 (default: 15). Existing shorter ones stay.",
            valueName: "characters"
        )
    )
    var passwordLength: String?

    @Option(
        help: ArgumentHelp(
            """
            Passwords from data breaches, which new passwords must not be: a file with sorted SHA-1 hashes, one per line, or \
            an address such as https://api.pwnedpasswords.com/range/.
            """,
            valueName: "path or address"
        )
    )
    var breachedPasswords: String?

    @Option(help: ArgumentHelp("A reserved user name: no new account can have it; can be repeated.", valueName: "name"))
    var reservedName: [String] = []

    @Flag(
        help:
            "Allow user names that mix scripts or have rare letters. A name can then look like the name of another account."
    )
    var mixedScriptNames = false

    @Option(
        help: ArgumentHelp(
            "Log level: trace, debug, info, notice, warning, error or critical (default: info).",
            valueName: "level"
        )
    )
    var logLevel: String?

    @Option(help: ArgumentHelp("Log format: text or json (default: text).", valueName: "format"))
    var logFormat: String?

    @Flag(
        help:
            """
            Serve the FIDO conformance API, which lets every caller sign in to every account. For tests only: it needs the \
            RP ID localhost or --database :memory:.
            """
    )
    var fidoConformance = false

    @Option(
        help: ArgumentHelp(
            "How long the audit log's rows are stored, 1d to 3650d (default: 400d).",
            valueName: "duration"
        )
    )
    var auditRetention: String?

    @Option(
        help: ArgumentHelp(
            "How long a key signs ID tokens of OpenID Connect before a new one does, 1d to 3650d (default: 90d).",
            valueName: "duration"
        )
    )
    var keyRotation: String?

    @Flag(
        help:
            "Keep clients' addresses in the audit log: IPv4 addresses, and the first 56 bits of IPv6 addresses. Needs --trusted-proxies."
    )
    var auditAddresses = false

    @Option(
        help: ArgumentHelp(
            """
            Send mail through this server: smtp://HOST:PORT, smtps://HOST:PORT, or folder:PATH to write each message into a \
            folder (default: send none).
            """,
            valueName: "route"
        )
    )
    var mail: String?

    @Option(help: ArgumentHelp("The address that mail comes from. --mail needs it.", valueName: "address"))
    var mailFrom: String?

    @Option(
        help: ArgumentHelp(
            "A file with two lines, the user name and the password for the mail server (default: send without).",
            valueName: "path"
        )
    )
    var mailLogin: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust for the mail server (default: those of the system).",
            valueName: "path"
        )
    )
    var mailCA: String?

    @Option(
        help: ArgumentHelp(
            "How long a recovery waits after its notice has left, if nothing else proves who asks for it, 1h to 30d (default: 3d).",
            valueName: "duration"
        )
    )
    var recoveryWait: String?

    @Flag(
        help:
            "Let people name up to three others who approve their recovery, beside the mailed link. Needs --mail."
    )
    var recoveryHelpers = false

    @Option(
        help: ArgumentHelp(
            """
            A JSON file with the identity providers where people may sign in, such as Google or Apple (default: none). \
            Documentation/federated.md has its form.
            """,
            valueName: "path"
        )
    )
    var identityProviders: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with rules: which groups need a passkey, of which kind, and from which day (default: no rules).",
            valueName: "path"
        )
    )
    var policy: String?

    @Option(
        help: ArgumentHelp(
            "The time between two offers of a passkey to an account that has none, up to 365d; 0d for none (default: 7d).",
            valueName: "duration"
        )
    )
    var offerInterval: String?

    @OptionGroup var texts: TextOptions

    @OptionGroup var webhooks: WebhookOptions

    @OptionGroup var audit: AuditOptions

    @OptionGroup var store: DatabaseOptions

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values = store.values.merging(audit.values) { $1 }.merging(webhooks.values) { $1 }
            .merging(texts.values) { $1 }
        func set(_ setting: Setting, _ content: ConfigContent?) {
            values[setting.absoluteKey] = content.map { ConfigValue($0, isSecret: false) }
        }
        set(.rpID, rpID.map { .string($0) })
        set(.rpName, rpName.map { .string($0) })
        set(.logo, logo.map { .string($0) })
        set(.icon, icon.map { .string($0) })
        set(.accentColor, accentColor.map { .string($0) })
        set(.metadata, metadata.map { .string($0) })
        set(.homeURL, homeURL.map { .string($0) })
        set(.origin, origin.isEmpty ? nil : .stringArray(origin))
        set(.relatedOrigin, relatedOrigin.isEmpty ? nil : .stringArray(relatedOrigin))
        set(.app, app.isEmpty ? nil : .stringArray(app))
        set(.androidApp, androidApp.isEmpty ? nil : .stringArray(androidApp))
        set(.appOrigin, appOrigin.isEmpty ? nil : .stringArray(appOrigin))
        set(.corsOrigin, corsOrigin.isEmpty ? nil : .stringArray(corsOrigin))
        set(.listen, listen.map { .string($0) })
        set(.metricsListen, metricsListen.map { .string($0) })
        set(.adminListen, adminListen.map { .string($0) })
        set(.adminGroup, adminGroup.map { .string($0) })
        set(.trustedProxies, trustedProxies.isEmpty ? nil : .stringArray(trustedProxies))
        set(.sessionIdle, sessionIdle.map { .string($0) })
        set(.sessionAbsolute, sessionAbsolute.map { .string($0) })
        set(.deviceBoundSessions, deviceBoundSessions.map { .string($0) })
        set(.deviceProofLifetime, deviceProofLifetime.map { .string($0) })
        set(.registration, registration.map { .string($0) })
        set(.userVerification, userVerification.map { .string($0) })
        set(.algorithms, algorithms.map { .string($0) })
        set(.passkeysOnly, passkeysOnly ? .bool(true) : nil)
        set(.passwordMemory, passwordMemory.map { .string($0) })
        set(.passwordPasses, passwordPasses.map { .string($0) })
        set(.passwordLength, passwordLength.map { .string($0) })
        set(.breachedPasswords, breachedPasswords.map { .string($0) })
        set(.reservedName, reservedName.isEmpty ? nil : .stringArray(reservedName))
        set(.mixedScriptNames, mixedScriptNames ? .bool(true) : nil)
        set(.auditRetention, auditRetention.map { .string($0) })
        set(.keyRotation, keyRotation.map { .string($0) })
        set(.auditAddresses, auditAddresses ? .bool(true) : nil)
        set(.mail, mail.map { .string($0) })
        set(.mailFrom, mailFrom.map { .string($0) })
        set(.mailLogin, mailLogin.map { .string($0) })
        set(.mailCA, mailCA.map { .string($0) })
        set(.policy, policy.map { .string($0) })
        set(.recoveryWait, recoveryWait.map { .string($0) })
        set(.recoveryHelpers, recoveryHelpers ? .bool(true) : nil)
        set(.offerInterval, offerInterval.map { .string($0) })
        set(.identityProviders, identityProviders.map { .string($0) })
        set(.logLevel, logLevel.map { .string($0) })
        set(.logFormat, logFormat.map { .string($0) })
        set(.fidoConformance, fidoConformance ? .bool(true) : nil)
        return values
    }
}

/// The name of a setting: `rp-id` as a flag and in the file, `WARD_RP_ID` in the environment.
enum Setting: String, CaseIterable {
    case rpID = "rp-id"
    case rpName = "rp-name"
    case logo
    case icon
    case accentColor = "accent-color"
    case metadata
    case homeURL = "home-url"
    case origin
    case relatedOrigin = "related-origin"
    case app
    case androidApp = "android-app"
    case appOrigin = "app-origin"
    case corsOrigin = "cors-origin"
    case listen
    case metricsListen = "metrics-listen"
    case adminListen = "admin-listen"
    case adminGroup = "admin-group"
    case trustedProxies = "trusted-proxies"
    case database
    case sessionIdle = "session-idle"
    case sessionAbsolute = "session-absolute"
    case deviceBoundSessions = "device-bound-sessions"
    case deviceProofLifetime = "device-proof-lifetime"
    case registration
    case userVerification = "user-verification"
    case algorithms
    case passkeysOnly = "passkeys-only"
    case passwordMemory = "password-memory"
    case passwordPasses = "password-passes"
    case passwordLength = "password-length"
    case breachedPasswords = "breached-passwords"
    case reservedName = "reserved-name"
    case mixedScriptNames = "mixed-script-names"
    case auditKey = "audit-key"
    case auditHeads = "audit-heads"
    case auditRetention = "audit-retention"
    case auditAddresses = "audit-addresses"
    case keyRotation = "key-rotation"
    case mail
    case mailFrom = "mail-from"
    case mailLogin = "mail-login"
    case mailCA = "mail-ca"
    case recoveryWait = "recovery-wait"
    case recoveryHelpers = "recovery-helpers"
    case policy
    case textWebhook = "text-webhook"
    case textWebhookSecrets = "text-webhook-secrets"
    case textPrefix = "text-prefix"
    case textLimit = "text-limit"
    case offerInterval = "offer-interval"
    case identityProviders = "identity-providers"
    case webhook
    case webhookSecrets = "webhook-secrets"
    case webhookEvent = "webhook-event"
    case logLevel = "log-level"
    case logFormat = "log-format"
    case fidoConformance = "fido-conformance"
    case config

    var key: ConfigKey { ConfigKey([rawValue]) }
    var absoluteKey: AbsoluteConfigKey { AbsoluteConfigKey([rawValue]) }
}
