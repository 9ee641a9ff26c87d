import Configuration

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
    case sync
    case syncListen = "sync-listen"
    case syncHost = "sync-host"
    case syncDatabase = "sync-database"
    case syncVaultSize = "sync-vault-size"
    case syncVaultEntries = "sync-vault-entries"
    case syncAccountVaults = "sync-account-vaults"
    case syncAccountSize = "sync-account-size"
    case logLevel = "log-level"
    case logFormat = "log-format"
    case fidoConformance = "fido-conformance"
    case config

    var key: ConfigKey { ConfigKey([rawValue]) }
    var absoluteKey: AbsoluteConfigKey { AbsoluteConfigKey([rawValue]) }
}

extension [AbsoluteConfigKey: ConfigValue] {
    /// Adds a setting if it was given as an option.
    mutating func set(_ setting: Setting, _ text: String?) {
        if let text { self[setting.absoluteKey] = ConfigValue(.string(text), isSecret: false) }
    }

    /// Adds a setting if it was given as an option, once or several times.
    mutating func set(_ setting: Setting, _ texts: [String]) {
        if !texts.isEmpty { self[setting.absoluteKey] = ConfigValue(.stringArray(texts), isSecret: false) }
    }

    /// Adds a setting if it was given as a flag.
    mutating func set(_ setting: Setting, _ isGiven: Bool) {
        if isGiven { self[setting.absoluteKey] = ConfigValue(.bool(true), isSecret: false) }
    }
}
