/// What a service is set up with.
///
/// Nothing is checked while it is put together: ``validate()`` and
/// ``WardServer/init(configuration:store:effects:logger:onListening:)`` refuse what contradicts itself, with the reason.
public struct ServerConfiguration: Sendable {
    /// The domain passkeys are made for; it can never change without losing all of them.
    public var rpID: String
    /// What prompts and pages call the service.
    public var rpName: String
    /// The origins of its pages and apps, as browsers write them: `https://login.example.com`.
    public var origins: [String]
    /// Pages outside the RP ID that may use its passkeys: `https://example.de` beside `example.com`.
    ///
    /// At most five registrable labels. Browsers read them from `/.well-known/webauthn` at the RP ID.
    public var relatedOrigins: [String]
    /// The apps that may use the domain's passkeys and passwords, as `TEAM.bundle`: `ABCDE12345.com.example.app`.
    ///
    /// Systems read them from `/.well-known/apple-app-site-association` at the RP ID.
    public var apps: [String]
    /// Where it listens.
    public var listen: ListenAddress
    /// How long a session lasts without a request.
    public var sessionIdle: Duration
    /// How long a session lasts at most.
    public var sessionAbsolute: Duration
    /// Whether accounts may have a password beside their passkeys, or in their place.
    ///
    /// Switched off where some already have, theirs stay stored and open nothing.
    public var acceptsPasswords: Bool
    /// How much work checking a password is; those hashed with less are hashed anew when their owners sign in.
    public var passwordEffort: PasswordEffort
    /// Whether the FIDO conformance server API is there, which lets anybody add a passkey to any account: for tests only.
    public var servesFIDOConformance: Bool

    /// Starts from what makes `http://localhost:8080` work.
    ///
    /// - Parameters:
    ///   - rpID: The domain passkeys are made for.
    ///   - rpName: What prompts and pages call the service.
    ///   - origins: The origins of its pages and apps; `nil` for the one that follows from the RP ID:
    ///     `http://localhost` with the port listened on, or `https://` and the RP ID.
    ///   - relatedOrigins: Pages outside the RP ID that may use its passkeys.
    ///   - apps: The apps that may use the domain's passkeys and passwords.
    ///   - listen: Where it listens.
    ///   - sessionIdle: How long a session lasts without a request.
    ///   - sessionAbsolute: How long a session lasts at most.
    ///   - acceptsPasswords: Whether accounts may have a password.
    ///   - passwordEffort: How much work checking a password is.
    ///   - servesFIDOConformance: Whether the FIDO conformance server API is there.
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

    /// Checks that the settings fit together, before anything is opened or made.
    ///
    /// - Throws: ``ServerConfigurationError`` with the first contradiction.
    public func validate() throws(ServerConfigurationError) {
        _ = try ConfiguredParts(self)
    }

    private static func defaultOrigin(rpID: String, port: Int) -> String {
        guard rpID == "localhost" else { return "https://\(rpID)" }
        return port == 80 ? "http://localhost" : "http://localhost:\(port)"
    }
}

/// Settings that contradict each other or mean nothing.
public struct ServerConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for whoever set the service up.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
