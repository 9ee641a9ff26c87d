/// Something that keeps credentials and signs with them: in software, on USB, on a phone nearby.
///
/// A refusal is thrown as its ``CTAPStatus``. Cancelling the task ends a request with ``CTAPStatus/keepaliveCancel``.
///
/// CTAP 2.3, section 6, Authenticator API.
public protocol CTAPAuthenticator: Sendable {
    /// Says what the authenticator is and can do.
    ///
    /// - Throws: ``CTAPStatus`` where an authenticator at a distance cannot be asked.
    func info() async throws(CTAPStatus) -> AuthenticatorInfo

    /// Makes a credential.
    ///
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - context: For whom, and how it may be answered.
    /// - Returns: The credential and its attestation.
    /// - Throws: ``CTAPStatus`` with the reason for a refusal.
    func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse

    /// Signs with a credential.
    ///
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - context: For whom, and how it may be answered.
    /// - Returns: The signature and whose it is.
    /// - Throws: ``CTAPStatus`` with the reason for a refusal.
    func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse

    /// Signs with the next credential, where the answer to ``getAssertion(_:in:)`` said that there are more.
    ///
    /// - Parameter context: The same conversation.
    /// - Returns: The signature and whose it is.
    /// - Throws: ``CTAPStatus/notAllowed`` where nothing is left to continue, or it is too late.
    func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse

    /// Waits until a person says that this is the authenticator they mean.
    ///
    /// - Parameter context: For whom.
    /// - Throws: ``CTAPStatus`` when nobody did.
    func selection(in context: CeremonyContext) async throws(CTAPStatus)

    /// Agrees on keys, so that salts of `hmac-secret` can be sent.
    ///
    /// - Parameters:
    ///   - request: Subcommand and parameters.
    ///   - context: The conversation.
    /// - Returns: What the subcommand answers with.
    /// - Throws: ``CTAPStatus``; ``CTAPStatus/invalidCommand`` where there is no such command.
    func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse
}

extension CTAPAuthenticator {
    /// Knows no such command.
    public func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse {
        throw .invalidCommand
    }
}
