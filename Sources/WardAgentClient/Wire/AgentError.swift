public import WardText

/// Why the agent, or the connection to it, failed.
///
/// Errors are equal if their codes are. Code and message never contain a secret.
public struct AgentError: CodedError {
    /// The error code: one of the vault's codes, or the agent's own.
    ///
    /// Later versions may add codes.
    public struct Code: RawRepresentable, ErrorCode {
        /// The code in snake case, stable for scripts.
        public let rawValue: String
        /// Creates a value from any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code in snake case.
        public var name: String { rawValue }

        /// Malformed bytes, or a request without a required value.
        public static let invalidRequest = Self(rawValue: "invalid_request")
        /// An unknown method.
        public static let unknownMethod = Self(rawValue: "unknown_method")
        /// Client and agent have no common version of the protocol.
        public static let versionMismatch = Self(rawValue: "version_mismatch")
        /// The caller runs as another user.
        public static let notPermitted = Self(rawValue: "not_permitted")
        /// No agent answers, and none could be started.
        public static let unreachable = Self(rawValue: "unreachable")
        /// Another process uses the vault, or the agent serves another vault.
        public static let inUse = Self(rawValue: "in_use")
        /// The agent, or this program, has the maximum number of connections.
        public static let busy = Self(rawValue: "busy")
        /// The vault is locked, or was locked during the request.
        public static let locked = Self(rawValue: "locked")
        /// The item, code, passkey or revision does not exist.
        public static let itemMissing = Self(rawValue: "item_missing")
        /// The words match more than one item.
        public static let ambiguous = Self(rawValue: "ambiguous")
        /// The person declined, closed the prompt, or did not answer in time.
        public static let denied = Self(rawValue: "denied")
        /// No program for prompts is available.
        public static let promptMissing = Self(rawValue: "prompt_missing")
        /// The program for prompts ended, or sent invalid output.
        public static let promptFailed = Self(rawValue: "prompt_failed")
        /// The passphrase is wrong.
        public static let wrongPassphrase = Self(rawValue: "wrong_passphrase")
        /// Too many wrong passphrases in a row; the message says how long to wait.
        public static let tooManyAttempts = Self(rawValue: "too_many_attempts")
        /// A value that is not valid, such as a malformed link.
        public static let invalidValue = Self(rawValue: "invalid_value")
        /// A WebAuthn ceremony failed; the message begins with the exception name that a page would get.
        public static let ceremonyFailed = Self(rawValue: "ceremony_failed")
        /// The method is only for the manager's own programs, or only for identified apps, and this program does not belong to
        /// them.
        public static let appUnknown = Self(rawValue: "app_unknown")
        /// The domain does not list the app; the message says what is wrong with its association file.
        public static let notAssociated = Self(rawValue: "not_associated")
        /// No credential matches, or the request allows no prompt.
        public static let nothingAvailable = Self(rawValue: "nothing_available")
        /// An excluded credential exists.
        public static let matchedExcluded = Self(rawValue: "matched_excluded")
        /// Passkeys are switched off on this machine.
        public static let passkeysOff = Self(rawValue: "passkeys_off")
        /// Requests that cannot be combined.
        public static let invalidCombination = Self(rawValue: "invalid_combination")
        /// The data was changed meanwhile.
        public static let conflict = Self(rawValue: "conflict")
        /// Another credential manager did not answer, ended, or answered wrongly; the message names it.
        public static let providerFailed = Self(rawValue: "provider_failed")
        /// No credential manager with this identifier is declared on this machine.
        public static let providerMissing = Self(rawValue: "provider_missing")
        /// The maximum number of credential managers is already enabled.
        public static let tooManyProviders = Self(rawValue: "too_many_providers")
        /// The person has not connected this browser yet, or another extension of the browser is connected.
        public static let notPaired = Self(rawValue: "not_paired")
        /// The program that answers a browser has no agent to ask.
        public static let unavailable = Self(rawValue: "unavailable")
        /// An unexpected failure.
        public static let failed = Self(rawValue: "failed")
    }

    /// The error code.
    public let code: Code
    /// One sentence for a person, with the next step if there is one.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The name of the exception for a page, if this is the failure of a ceremony.
    package var exceptionName: String? {
        guard code == .ceremonyFailed, let name = message.split(separator: ":").first, name.hasSuffix("Error") else {
            return nil
        }
        return String(name)
    }

    /// A description on one line, for a log.
    public var description: String { "\(code): \(message)" }
}
