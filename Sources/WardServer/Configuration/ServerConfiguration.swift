/// The settings of a service.
///
/// Setting a value does not check it. ``validate()`` and ``WardServer/init(configuration:store:effects:logger:onListening:)``
/// refuse settings that contradict each other, with the reason.
public struct ServerConfiguration: Sendable {
    /// The domain of the passkeys.
    ///
    /// If you change it, all passkeys become unusable.
    public var rpID: String
    /// The service's name in prompts and pages.
    public var rpName: String
    /// The file with the logo on the pages: an image in SVG, PNG, WebP or JPEG of at most 256 KiB.
    ///
    /// With `nil` it is Ward's.
    public var logo: String?
    /// The file with the picture for home screens and credential managers: a square image in PNG, 180 to 1,024 pixels wide, of at
    /// most 256 KiB.
    ///
    /// With `nil` it is the ``logo``; without a logo it is Ward's.
    public var icon: String?
    /// The color of buttons and links on the pages, such as `#17614a`.
    ///
    /// Text in it must be readable on light pages: a contrast of 4.5 to 1. The dark pages have a lighter one. With `nil` it is
    /// Ward's.
    public var accentColor: String?
    /// The address of the site to which the pages lead back, such as `https://example.com/`.
    public var homeURL: String?
    /// The origins of the service's pages and apps, as browsers write them: `https://login.example.com`.
    public var origins: [String]
    /// Pages outside the RP ID that may use its passkeys, such as `https://example.de` for `example.com`.
    ///
    /// The list can have at most five registrable labels. Browsers read it from `/.well-known/webauthn` at the RP ID.
    public var relatedOrigins: [String]
    /// The apps that may use the domain's passkeys and passwords, as `TEAM.bundle`: `ABCDE12345.com.example.app`.
    ///
    /// Operating systems read the list from `/.well-known/apple-app-site-association` at the RP ID.
    public var apps: [String]
    /// The Android apps that may use the domain's passkeys and passwords, as `PACKAGE=FINGERPRINT`.
    ///
    /// The fingerprint is the SHA-256 digest of the app's signing certificate, as `apksigner` and `keytool` print it. An app with
    /// several certificates has several entries. Credential managers read the list from `/.well-known/assetlinks.json` at the RP
    /// ID. The apps' origins in passkeys, such as `android:apk-key-hash:…`, count as ``origins``.
    public var androidApps: [String] = []
    /// The apps behind proxies that ask this service who a person is, as origins: `https://app.example.com`.
    ///
    /// After a sign-in, people can return only to these apps. Each app needs a host of its own, because ports share cookies.
    public var appOrigins: [String] = []
    /// Pages of other origins that may call the API with a bearer token: `https://www.example.com`.
    ///
    /// These pages get no cookies. For passkeys a page must also be one of ``origins`` or ``relatedOrigins``.
    public var corsOrigins: [String] = []
    /// The address that the service listens on.
    public var listen: ListenAddress
    /// The address where Prometheus reads numbers about the service, at `/metrics`.
    ///
    /// With `nil` there is none.
    ///
    /// Choose an address that only the monitoring can reach.
    public var metricsListen: ListenAddress?
    /// Where the admin API is, at `/api/v1/admin/`; `nil` for nowhere.
    ///
    /// Choose an address that only administrators' programs reach, such as a Unix socket.
    public var adminListen: ListenAddress?
    /// The group of the people who may use the admin page, at `/admin`.
    ///
    /// With `nil` there is no admin page.
    public var adminGroup: String?
    /// How long a session lasts without a request.
    public var sessionIdle: Duration
    /// The maximum lifetime of a session.
    public var sessionAbsolute: Duration
    /// Whether browsers are asked to bind new sessions to their device, with
    /// [Device Bound Session Credentials](https://w3c.github.io/webappsec-dbsc/).
    ///
    /// Browsers that cannot do that ignore it. If you switch this off, bound sessions stay bound until they end.
    public var bindsSessionsToDevices = true
    /// How long a bound session's cookies count without a new proof by the device: 2 seconds to 1 hour.
    ///
    /// A stolen cookie is useless after this time.
    public var deviceProofLifetime: Duration = .seconds(300)
    /// Whether accounts may have a password, in addition to passkeys or instead of them.
    ///
    /// If you switch this off, existing passwords stay stored but can no longer sign in.
    public var acceptsPasswords: Bool
    /// The cost of a password check.
    ///
    /// Hashes with a lower cost are upgraded at the next sign-in.
    public var passwordEffort: PasswordEffort
    /// Whether each sign-in and each new passkey requires user verification: a PIN, a fingerprint or similar.
    ///
    /// If not, which is the default, the service prefers verification, and devices without biometrics need not ask for a
    /// password each time. A sign-in without verification is one factor: sensitive changes need a sign-in with verification, or
    /// the password in addition.
    public var requiresUserVerification = false
    /// The minimum length of new passwords, in characters: 8 to 64.
    ///
    /// The default is 15, because a password alone can sign in (NIST SP 800-63B-4). Existing shorter passwords stay.
    public var passwordLength = 15
    /// Passwords from data breaches, which new passwords must not be: the path of a file, or an `https` address.
    ///
    /// The file has one SHA-1 hash a line, in hexadecimal digits, sorted, in lines of at most 100 bytes; text after the hash is
    /// ignored. This is the form of the Pwned Passwords list. The address is one such as
    /// `https://api.pwnedpasswords.com/range/`, where the first five digits of a hash lead to the hashes that begin with them.
    /// With `nil`, new passwords are compared only with the bundled list of common passwords. The same is true while the file
    /// cannot be read or the address does not answer.
    public var breachedPasswords: String?
    /// User names that no new account can have, in addition to those that Ward reserves, such as `admin`.
    public var reservedNames: [String] = []
    /// Whether new user names may mix scripts, and have rare letters, beyond the level "highly restrictive" of Unicode's
    /// [UTS 39](https://www.unicode.org/reports/tr39/#Restriction_Level_Detection).
    ///
    /// If this is true, a name can look like the name of another account.
    public var allowsMixedScripts = false
    /// Who may create an account.
    public var registration: RegistrationPolicy = .open
    /// The proxies in front of the service, which report the addresses of their clients: addresses such as `127.0.0.1`,
    /// prefixes such as `10.0.0.0/8`, `unix` for the peers of a Unix socket, or `none` if clients connect to the service
    /// directly.
    ///
    /// If the list is empty, nothing is limited by address, because all clients may seem to have the same address.
    public var trustedProxies: [String] = []
    /// The file with the key that signs the audit log's heads.
    ///
    /// It is created at the first start. With `nil` there is no key.
    ///
    /// Without it, heads are not signed and no rows are deleted.
    public var auditKey: String?
    /// The file to which signed heads of the audit log are added.
    ///
    /// With `nil` they are only in the log.
    public var auditHeads: String?
    /// The retention time of the audit log's rows: 1 day to 10 years.
    public var auditRetention: Duration = .seconds(400 * 86_400)
    /// How long a key signs ID tokens of OpenID Connect before a new one does: 1 day to 10 years.
    public var keyRotation: Duration = .seconds(90 * 86_400)
    /// Whether rows of the audit log have the address of the client: an IPv4 address, or the first 56 bits of an IPv6 address.
    ///
    /// It needs ``trustedProxies``. Addresses are personal data, so tell people that you keep them.
    public var auditsAddresses = false
    /// How the service sends mail.
    ///
    /// With `nil` it sends none, and accounts have no e-mail address.
    public var mail: MailSettings?
    /// A file with rules about sign-ins: which groups need a passkey, of which kind, and from when.
    ///
    /// It is read at the start. With `nil` there are no rules.
    public var policy: String?
    /// How the service sends text messages to telephones.
    ///
    /// With `nil` it sends none, and nobody gets codes in them.
    public var texts: TextSettings?
    /// How long a recovery waits after its notice has left, if nothing else proves who asks for it: 1 hour to 30 days.
    ///
    /// In this time the account's owner can stop it.
    public var recoveryWait: Duration = .seconds(3 * 86_400)
    /// Whether people can name up to three others who approve their recovery.
    ///
    /// An approval counts beside a mailed link, as a recovery code does. It needs ``mail``.
    public var usesRecoveryHelpers = false
    /// The signature algorithms of new passkeys, best first.
    ///
    /// Who signs in with a passkey whose algorithm has a better one in the list gets a new passkey without a prompt, where the
    /// browser can make one. The old passkey is deleted after the new one has signed in.
    public var algorithms: AlgorithmList = .standard
    /// How much time passes between two offers of a passkey to an account that has none: 0 to 365 days, 0 for no
    /// offers.
    public var offerInterval: Duration = .seconds(7 * 86_400)
    /// A file with the BLOB of the FIDO Metadata Service: the account page shows its pictures of authenticators.
    ///
    /// Rules of ``policy`` that ask for attestation need it: it has the roots and the status of each model. For them it is read
    /// again within an hour after it changed.
    public var metadata: String?
    /// A file with the identity providers where people may sign in, such as Google or Apple, in JSON.
    ///
    /// `Documentation/federated.md` has its form. With `nil` there are none.
    public var identityProviders: String?
    /// How the service tells another program what happens to accounts.
    ///
    /// With `nil` it tells none.
    public var webhooks: WebhookSettings?
    /// Whether the service offers the FIDO conformance API, which lets anybody add a passkey to any account.
    ///
    /// It is for tests only: it requires the RP ID `localhost`, or ``storeIsInMemory``.
    public var servesFIDOConformance: Bool
    /// The vaults that accounts keep at the sync server beside the service.
    ///
    /// With `nil` there is no sync server.
    package var vaults: AccountVaults?
    /// Whether the store loses its data when the service ends, such as a database in memory.
    public var storeIsInMemory = false

    /// Creates settings; the defaults work for `http://localhost:8080`.
    ///
    /// - Parameters:
    ///   - rpID: The domain of the passkeys.
    ///   - rpName: The service's name in prompts and pages.
    ///   - origins: The origins of the service's pages and apps; `nil` for the default: `http://localhost` with the
    ///     port, or `https://` and the RP ID.
    ///   - relatedOrigins: Pages outside the RP ID that may use its passkeys.
    ///   - apps: The apps that may use the domain's passkeys and passwords.
    ///   - listen: The address that the service listens on.
    ///   - sessionIdle: How long a session lasts without a request.
    ///   - sessionAbsolute: The maximum lifetime of a session.
    ///   - acceptsPasswords: Whether accounts may have a password.
    ///   - passwordEffort: The cost of a password check.
    ///   - servesFIDOConformance: Whether the service offers the FIDO conformance API.
    public init(
        rpID: String = "localhost",
        rpName: String = "Ward",
        origins: [String]? = nil,
        relatedOrigins: [String] = [],
        apps: [String] = [],
        listen: ListenAddress = .standard,
        sessionIdle: Duration = .seconds(14 * 86_400),
        sessionAbsolute: Duration = .seconds(90 * 86_400),
        acceptsPasswords: Bool = true,
        passwordEffort: PasswordEffort = .standard,
        servesFIDOConformance: Bool = false
    ) {
        self.rpID = rpID
        self.rpName = rpName
        self.origins = origins ?? [Self.defaultOrigin(rpID: rpID, port: listen.port)]
        self.relatedOrigins = relatedOrigins
        self.apps = apps
        self.listen = listen
        self.sessionIdle = sessionIdle
        self.sessionAbsolute = sessionAbsolute
        self.acceptsPasswords = acceptsPasswords
        self.passwordEffort = passwordEffort
        self.servesFIDOConformance = servesFIDOConformance
    }

    /// Checks that the settings do not contradict each other, before any file is opened or created.
    ///
    /// - Throws: ``ServerConfigurationError`` for the first contradiction.
    public func validate() throws(ServerConfigurationError) {
        _ = try ConfiguredParts(self)
    }

    /// The warning of the start and of `ward-server check` if ``breachedPasswords`` is not set.
    package static let noBreachedPasswords =
        "no breached passwords are set (--breached-passwords): only the bundled list of common passwords decides"

    private static func defaultOrigin(rpID: String, port: Int) -> String {
        guard rpID == "localhost", port > 0 else { return "\(rpID == "localhost" ? "http" : "https")://\(rpID)" }
        return port == 80 ? "http://localhost" : "http://localhost:\(port)"
    }
}

/// Settings that contradict each other or are invalid.
public struct ServerConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error as one sentence for the administrator.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
