/// Who may create an account.
public enum RegistrationPolicy: String, Hashable, Sendable, CaseIterable {
    /// Everybody.
    case open
    /// Everybody with an invitation. An invitation works for one account.
    case invite
    /// Nobody.
    case closed

    /// Reads `open`, `invite` or `closed`.
    ///
    /// - Parameter text: The setting's text.
    /// - Throws: ``ServerConfigurationError`` that says which values there are.
    public init(settingText text: String) throws(ServerConfigurationError) {
        guard let policy = Self(rawValue: text) else {
            throw ServerConfigurationError("registration must be open, invite or closed, not \"\(text)\"")
        }
        self = policy
    }
}
