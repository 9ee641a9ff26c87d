/// Why the agent, or the way to it, did not do what was asked.
///
/// Errors are equal when their codes are. Neither code nor message ever carries a secret.
public struct AgentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way: the names of the vault's codes, and the agent's own.
    ///
    /// Later versions may add codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// A stable word for scripts.
        public let rawValue: String
        /// Creates a value from any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word itself.
        public var description: String { rawValue }

        /// Bytes that are no request, or a request without what it needs.
        public static let invalidRequest = Self(rawValue: "invalid_request")
        /// A method this version does not know.
        public static let unknownMethod = Self(rawValue: "unknown_method")
        /// Client and agent have no version of the protocol in common.
        public static let versionMismatch = Self(rawValue: "version_mismatch")
        /// The caller is another user.
        public static let notPermitted = Self(rawValue: "not_permitted")
        /// The agent does not answer and could not be started.
        public static let unreachable = Self(rawValue: "unreachable")
        /// Another process has the vault, or the agent has another vault.
        public static let inUse = Self(rawValue: "in_use")
        /// The agent has as many connections as it takes, or the program has as many as it may.
        public static let busy = Self(rawValue: "busy")
        /// The vault is locked, or was locked meanwhile.
        public static let locked = Self(rawValue: "locked")
        /// There is no such item, code, passkey or revision.
        public static let itemMissing = Self(rawValue: "item_missing")
        /// The words fit more than one item.
        public static let ambiguous = Self(rawValue: "ambiguous")
        /// The person said no, closed the prompt, or did not answer in time.
        public static let denied = Self(rawValue: "denied")
        /// There is no program that can ask the person.
        public static let promptMissing = Self(rawValue: "prompt_missing")
        /// The program that asks the person ended, or spoke nonsense.
        public static let promptFailed = Self(rawValue: "prompt_failed")
        /// The passphrase is not the vault's.
        public static let wrongPassphrase = Self(rawValue: "wrong_passphrase")
        /// Too many wrong passphrases in a row; the message says how long to wait.
        public static let tooManyAttempts = Self(rawValue: "too_many_attempts")
        /// A value that cannot be what it should be, such as a link that is none.
        public static let invalidValue = Self(rawValue: "invalid_value")
        /// A WebAuthn ceremony that came to nothing; the message begins with the name a page would see.
        public static let ceremonyFailed = Self(rawValue: "ceremony_failed")
        /// This is for the credential manager's own programs, or for an app that is known: this one is neither.
        public static let appUnknown = Self(rawValue: "app_unknown")
        /// The domain does not name the app: the message says what its association file lacks.
        public static let notAssociated = Self(rawValue: "not_associated")
        /// There is nothing here that would answer, or what is asked for may not be asked of the person.
        public static let nothingAvailable = Self(rawValue: "nothing_available")
        /// A credential that must not be there is.
        public static let matchedExcluded = Self(rawValue: "matched_excluded")
        /// Passkeys are switched off on this machine.
        public static let passkeysOff = Self(rawValue: "passkeys_off")
        /// Requests that do not go together.
        public static let invalidCombination = Self(rawValue: "invalid_combination")
        /// What was looked at changed meanwhile.
        public static let conflict = Self(rawValue: "conflict")
        /// Another credential manager did not answer, ended, or answered what it must not: the message says which.
        public static let providerFailed = Self(rawValue: "provider_failed")
        /// No credential manager of this name is declared on this machine.
        public static let providerMissing = Self(rawValue: "provider_missing")
        /// As many credential managers as may be in use are in use.
        public static let tooManyProviders = Self(rawValue: "too_many_providers")
        /// Something that should not happen.
        public static let failed = Self(rawValue: "failed")
    }

    /// What stands in the way.
    public let code: Code
    /// One sentence for a person, and what to do next where that helps.
    public let message: String

    /// Joins both.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// One line for a log.
    public var description: String { "\(code): \(message)" }

    /// Errors are equal if their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
