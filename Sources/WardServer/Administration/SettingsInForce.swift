import WardText

extension JSONValue {
    /// The settings in force as the admin page shows them: names as in the settings file, values as texts.
    ///
    /// It has no secrets, and no path of a file.
    ///
    /// - Parameter configuration: The settings.
    init(settingsOf configuration: ServerConfiguration) {
        let passwords = configuration.acceptsPasswords
        let settings: [(name: String, value: JSONValue)] = [
            ("rp-id", .string(configuration.rpID)),
            ("rp-name", .string(configuration.rpName)),
            ("origin", .list(configuration.origins)),
            ("related-origin", .list(configuration.relatedOrigins)),
            ("app-origin", .list(configuration.appOrigins)),
            ("cors-origin", .list(configuration.corsOrigins)),
            ("registration", .string(configuration.registration.rawValue)),
            ("user-verification", .string(configuration.requiresUserVerification ? "required" : "preferred")),
            ("passkeys-only", .bool(!passwords)),
            ("password-length", passwords ? .integer(Int64(configuration.passwordLength)) : .null),
            ("breached-passwords", .bool(passwords && configuration.breachedPasswords != nil)),
            ("offer-interval", .duration(configuration.offerInterval)),
            ("session-idle", .duration(configuration.sessionIdle)),
            ("session-absolute", .duration(configuration.sessionAbsolute)),
            ("device-bound-sessions", .bool(configuration.bindsSessionsToDevices)),
            ("recovery-wait", .duration(configuration.recoveryWait)),
            ("recovery-helpers", .bool(configuration.usesRecoveryHelpers)),
            ("mail", .bool(configuration.mail != nil)),
            ("webhook", .bool(configuration.webhooks != nil)),
            ("audit-key", .bool(configuration.auditKey != nil)),
            ("audit-heads", .bool(configuration.auditHeads != nil)),
            ("audit-retention", .duration(configuration.auditRetention)),
            ("audit-addresses", .bool(configuration.auditsAddresses)),
            ("trusted-proxies", .list(configuration.trustedProxies)),
            ("key-rotation", .duration(configuration.keyRotation)),
            ("admin-listen", .bool(configuration.adminListen != nil)),
            ("admin-group", configuration.adminGroup.map { .string($0) } ?? .null),
        ]
        self = ["settings": .array(settings.map { ["name": .string($0.name), "value": $0.value] })]
    }

    private static func list(_ texts: [String]) -> JSONValue {
        texts.isEmpty ? .null : .string(texts.joined(separator: " "))
    }

    /// In the largest unit that gives a whole number, as in the settings: `90s`, `12h`, `7d`.
    private static func duration(_ duration: Duration) -> JSONValue {
        let seconds = duration.components.seconds
        let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m")]
        guard let (size, unit) = units.first(where: { seconds % $0.0 == 0 }) else { return .string("\(seconds)s") }
        return .string("\(seconds / size)\(unit)")
    }
}
