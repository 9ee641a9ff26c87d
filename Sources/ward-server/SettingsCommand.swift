import ArgumentParser
import Configuration

/// What a command does with the settings of the service.
///
/// It can have options of its own. In `--help` they stand before the settings.
protocol SettingsUse: ParsableArguments {
    /// The name and the help of the command.
    static var configuration: CommandConfiguration { get }

    /// Runs the command.
    ///
    /// - Parameter given: The settings that were given as options. The environment and the settings file can have more.
    /// - Throws: What the command fails with.
    func run(_ given: [AbsoluteConfigKey: ConfigValue]) async throws
}

/// A command with all settings of the service as options.
///
/// Each is also an environment variable and a member of the settings file.
///
/// The settings are no `@OptionGroup`. A debug build checks each option of a group four times as often as an option of
/// the command itself, and for so many options that was a large part of every start of the service. The type is generic
/// so that the commands with these settings can share them without a group.
struct SettingsCommand<Use: SettingsUse>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Use.configuration }

    @OptionGroup var use: Use

    @Option(help: .rpID) var rpID: String?
    @Option(help: .rpName) var rpName: String?
    @Option(help: .logo) var logo: String?
    @Option(help: .icon) var icon: String?
    @Option(help: .accentColor) var accentColor: String?
    @Option(help: .metadata) var metadata: String?
    @Option(help: .homeURL) var homeURL: String?
    @Option(help: .origin) var origin: [String] = []
    @Option(help: .relatedOrigin) var relatedOrigin: [String] = []
    @Option(help: .app) var app: [String] = []
    @Option(help: .androidApp) var androidApp: [String] = []
    @Option(help: .appOrigin) var appOrigin: [String] = []
    @Option(help: .corsOrigin) var corsOrigin: [String] = []
    @Option(help: .listen) var listen: String?
    @Option(help: .metricsListen) var metricsListen: String?
    @Option(help: .adminListen) var adminListen: String?
    @Option(help: .adminGroup) var adminGroup: String?
    @Option(help: .trustedProxies) var trustedProxies: [String] = []
    @Option(help: .sessionIdle) var sessionIdle: String?
    @Option(help: .sessionAbsolute) var sessionAbsolute: String?
    @Option(help: .deviceBoundSessions) var deviceBoundSessions: String?
    @Option(help: .deviceProofLifetime) var deviceProofLifetime: String?
    @Option(help: .registration) var registration: String?
    @Option(help: .userVerification) var userVerification: String?
    @Option(help: .algorithms) var algorithms: String?
    @Flag(help: .passkeysOnly) var passkeysOnly = false
    @Option(help: .passwordMemory) var passwordMemory: String?
    @Option(help: .passwordPasses) var passwordPasses: String?
    @Option(help: .passwordLength) var passwordLength: String?
    @Option(help: .breachedPasswords) var breachedPasswords: String?
    @Option(help: .reservedName) var reservedName: [String] = []
    @Flag(help: .mixedScriptNames) var mixedScriptNames = false
    @Option(help: .logLevel) var logLevel: String?
    @Option(help: .logFormat) var logFormat: String?
    @Flag(help: .fidoConformance) var fidoConformance = false
    @Option(help: .auditRetention) var auditRetention: String?
    @Option(help: .keyRotation) var keyRotation: String?
    @Flag(help: .auditAddresses) var auditAddresses = false
    @Option(help: .mail) var mail: String?
    @Option(help: .mailFrom) var mailFrom: String?
    @Option(help: .mailLogin) var mailLogin: String?
    @Option(help: .mailCA) var mailCA: String?
    @Option(help: .recoveryWait) var recoveryWait: String?
    @Flag(help: .recoveryHelpers) var recoveryHelpers = false
    @Option(help: .identityProviders) var identityProviders: String?
    @Option(help: .policy) var policy: String?
    @Option(help: .offerInterval) var offerInterval: String?
    @Option(help: .textWebhook) var textWebhook: String?
    @Option(help: .textWebhookSecrets) var textWebhookSecrets: String?
    @Option(help: .textPrefix) var textPrefix: [String] = []
    @Option(help: .textLimit) var textLimit: String?
    @Option(help: .webhook) var webhook: String?
    @Option(help: .webhookSecrets) var webhookSecrets: String?
    @Option(help: .webhookEvent) var webhookEvent: [String] = []
    @Flag(help: .sync) var sync = false
    @Option(help: .syncListen) var syncListen: String?
    @Option(help: .syncHost) var syncHost: String?
    @Option(help: .syncDatabase) var syncDatabase: String?
    @Option(help: .syncVaultSize) var syncVaultSize: String?
    @Option(help: .syncVaultEntries) var syncVaultEntries: String?
    @Option(help: .syncAccountVaults) var syncAccountVaults: String?
    @Option(help: .syncAccountSize) var syncAccountSize: String?
    @Option(help: .auditKey) var auditKey: String?
    @Option(help: .auditHeads) var auditHeads: String?
    @Option(help: .database) var database: String?
    @Option(help: .config) var config: String?

    func run() async throws { try await use.run(values) }

    /// The given options in the form of swift-configuration.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values.set(.rpID, rpID)
        values.set(.rpName, rpName)
        values.set(.logo, logo)
        values.set(.icon, icon)
        values.set(.accentColor, accentColor)
        values.set(.metadata, metadata)
        values.set(.homeURL, homeURL)
        values.set(.origin, origin)
        values.set(.relatedOrigin, relatedOrigin)
        values.set(.app, app)
        values.set(.androidApp, androidApp)
        values.set(.appOrigin, appOrigin)
        values.set(.corsOrigin, corsOrigin)
        values.set(.listen, listen)
        values.set(.metricsListen, metricsListen)
        values.set(.adminListen, adminListen)
        values.set(.adminGroup, adminGroup)
        values.set(.trustedProxies, trustedProxies)
        values.set(.sessionIdle, sessionIdle)
        values.set(.sessionAbsolute, sessionAbsolute)
        values.set(.deviceBoundSessions, deviceBoundSessions)
        values.set(.deviceProofLifetime, deviceProofLifetime)
        values.set(.registration, registration)
        values.set(.userVerification, userVerification)
        values.set(.algorithms, algorithms)
        values.set(.passkeysOnly, passkeysOnly)
        values.set(.passwordMemory, passwordMemory)
        values.set(.passwordPasses, passwordPasses)
        values.set(.passwordLength, passwordLength)
        values.set(.breachedPasswords, breachedPasswords)
        values.set(.reservedName, reservedName)
        values.set(.mixedScriptNames, mixedScriptNames)
        values.set(.logLevel, logLevel)
        values.set(.logFormat, logFormat)
        values.set(.fidoConformance, fidoConformance)
        values.set(.auditRetention, auditRetention)
        values.set(.keyRotation, keyRotation)
        values.set(.auditAddresses, auditAddresses)
        values.set(.mail, mail)
        values.set(.mailFrom, mailFrom)
        values.set(.mailLogin, mailLogin)
        values.set(.mailCA, mailCA)
        values.set(.recoveryWait, recoveryWait)
        values.set(.recoveryHelpers, recoveryHelpers)
        values.set(.identityProviders, identityProviders)
        values.set(.policy, policy)
        values.set(.offerInterval, offerInterval)
        values.set(.textWebhook, textWebhook)
        values.set(.textWebhookSecrets, textWebhookSecrets)
        values.set(.textPrefix, textPrefix)
        values.set(.textLimit, textLimit)
        values.set(.webhook, webhook)
        values.set(.webhookSecrets, webhookSecrets)
        values.set(.webhookEvent, webhookEvent)
        values.set(.sync, sync)
        values.set(.syncListen, syncListen)
        values.set(.syncHost, syncHost)
        values.set(.syncDatabase, syncDatabase)
        values.set(.syncVaultSize, syncVaultSize)
        values.set(.syncVaultEntries, syncVaultEntries)
        values.set(.syncAccountVaults, syncAccountVaults)
        values.set(.syncAccountSize, syncAccountSize)
        values.set(.auditKey, auditKey)
        values.set(.auditHeads, auditHeads)
        values.set(.database, database)
        values.set(.config, config)
        return values
    }
}
