/// The settings of a service.
///
/// Setting a value checks nothing. ``validate()`` and
/// ``WardServer/init(configuration:store:effects:logger:onListening:)`` refuse settings that contradict each other, and
/// say why.
public struct ServerConfiguration: Sendable {
    /// The domain of the passkeys.
    ///
    /// Changing it makes all passkeys unusable.
    public var rpID: String
    /// The service's name in prompts and pages.
    public var rpName: String
    /// The origins of the service's pages and apps, as browsers write them: `https://login.example.com`.
    public var origins: [String]
    /// Pages outside the RP ID that may use its passkeys, such as `https://example.de` for `example.com`.
    ///
    /// At most five registrable labels. Browsers read them from `/.well-known/webauthn` at the RP ID.
    public var relatedOrigins: [String]
    /// The apps that may use the domain's passkeys and passwords, as `TEAM.bundle`: `ABCDE12345.com.example.app`.
    ///
    /// Systems read them from `/.well-known/apple-app-site-association` at the RP ID.
    public var apps: [String]
    /// The apps behind proxies that ask this service who their people are, as origins: `https://app.example.com`.
    ///
    /// People return only to these after they sign in. Each needs a host of its own, because ports share cookies.
    public var appOrigins: [String] = []
    /// Pages of other origins that may call the API with a bearer token: `https://www.example.com`.
    ///
    /// They get no cookies. For passkeys the page must be one of ``origins`` or ``relatedOrigins`` too.
    public var corsOrigins: [String] = []
    /// The address that the service listens on.
    public var listen: ListenAddress
    /// Where Prometheus reads numbers about the service, at `/metrics`; `nil` for nowhere.
    ///
    /// Choose an address that only the monitoring reaches.
    public var metricsListen: ListenAddress?
    /// How long a session lasts without a request.
    public var sessionIdle: Duration
    /// The maximum lifetime of a session.
    public var sessionAbsolute: Duration
    /// Whether accounts may have a password, beside passkeys or instead of one.
    ///
    /// If you switch this off, existing passwords stay stored but no longer sign in.
    public var acceptsPasswords: Bool
    /// The cost of a password check.
    ///
    /// Hashes with a lower cost are upgraded at the next sign-in.
    public var passwordEffort: PasswordEffort
    /// Whether each sign-in and each new passkey needs user verification: a PIN, a fingerprint or the like.
    ///
    /// If not, which is the default, the service prefers it, and devices without biometrics need not ask for a password
    /// each time. A sign-in without verification is one factor: sensitive changes need a verified one, or the password
    /// as well.
    public var requiresUserVerification = false
    /// The minimum length of new passwords, in characters: 8 to 64.
    ///
    /// 15 by default, because a password alone signs in (NIST SP 800-63B-4). Existing shorter passwords stay.
    public var passwordLength = 15
    /// Passwords from data breaches, which new passwords must not be: the path of a file, or an `https` address.
    ///
    /// The file has one SHA-1 hash a line, in hexadecimal digits, sorted, in lines of at most 100 bytes; what follows the hash
    /// does not count. This is the form of the Pwned Passwords list. The address is one such as
    /// `https://api.pwnedpasswords.com/range/`, where the first five digits of a hash lead to the hashes that begin with
    /// them. `nil` for none: then only the bundled list of common passwords decides. It also decides alone while the file or
    /// the address does not answer.
    public var breachedPasswords: String?
    /// User names that no new account can have, besides the ones that Ward reserves, such as `admin`.
    public var reservedNames: [String] = []
    /// Whether new user names may mix scripts, and have rare letters, beyond the level "highly restrictive" of Unicode's
    /// [UTS 39](https://www.unicode.org/reports/tr39/#Restriction_Level_Detection).
    ///
    /// If they may, a name can look like the name of another account.
    public var allowsMixedScripts = false
    /// Who may create an account.
    public var registration: RegistrationPolicy = .open
    /// The proxies in front of the service, which say who their clients are: addresses such as `127.0.0.1`, prefixes such as
    /// `10.0.0.0/8`, `unix` for the peers of a Unix socket, or `none` if clients connect to the service itself.
    ///
    /// Empty if nobody said: then nothing is limited by address, because all clients may seem to be one.
    public var trustedProxies: [String] = []
    /// The file with the key that signs the audit log's heads, created at the first start; `nil` for none.
    ///
    /// Without it, heads are not signed and no rows are deleted.
    public var auditKey: String?
    /// The file to which signed heads of the audit log are added; `nil` for the log alone.
    public var auditHeads: String?
    /// How long rows of the audit log stay: 1 day to 10 years.
    public var auditRetention: Duration = .seconds(400 * 86_400)
    /// Whether the service offers the FIDO conformance API, which lets anybody add a passkey to any account.
    ///
    /// For tests only: it needs the RP ID `localhost`, or ``storeIsInMemory``.
    public var servesFIDOConformance: Bool
    /// Whether the store forgets everything when the service ends, such as a database in memory.
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

    /// Checks that the settings fit together, before anything is opened or created.
    ///
    /// - Throws: ``ServerConfigurationError`` for the first contradiction.
    public func validate() throws(ServerConfigurationError) {
        _ = try ConfiguredParts(self)
    }

    /// What the start and `ward-server check` say without ``breachedPasswords``.
    package static let noBreachedPasswords =
        "no breached passwords are set (--breached-passwords): only the bundled list of common passwords decides"

    /// What the start says without ``trustedProxies``.
    package static let noTrustedProxies =
        "no proxies are set (--trusted-proxies): nothing is limited by address. Name the proxies in front of the service, or none"

    private static func defaultOrigin(rpID: String, port: Int) -> String {
        guard rpID == "localhost", port > 0 else { return "\(rpID == "localhost" ? "http" : "https")://\(rpID)" }
        return port == 80 ? "http://localhost" : "http://localhost:\(port)"
    }
}

/// Settings that contradict each other or are invalid.
public struct ServerConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for the administrator.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
