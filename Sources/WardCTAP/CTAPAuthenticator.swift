/// An authenticator: it stores credentials and signs with them, in software, on USB, or on a phone nearby.
///
/// A refusal is thrown as its ``CTAPStatus``. Cancelling the task ends a request with ``CTAPStatus/keepaliveCancel``.
///
/// CTAP 2.3, section 6, Authenticator API.
public protocol CTAPAuthenticator: Sendable {
    /// Returns what the authenticator is and what it supports.
    ///
    /// - Throws: ``CTAPStatus`` if the authenticator cannot be reached.
    func info() async throws(CTAPStatus) -> AuthenticatorInfo

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request, for prompts.
    /// - Returns: The credential and its attestation.
    /// - Throws: ``CTAPStatus`` with the reason for a refusal.
    func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse

    /// Signs with a credential.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request, for prompts.
    /// - Returns: The signature and the account.
    /// - Throws: ``CTAPStatus`` with the reason for a refusal.
    func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse

    /// Signs with the next credential, if ``getAssertion(_:in:)`` found several.
    ///
    /// - Parameter context: The context with the same channel.
    /// - Returns: The signature and the account.
    /// - Throws: ``CTAPStatus/notAllowed`` if there is no further credential, or it is too late.
    func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse

    /// Waits until the person selects this authenticator.
    ///
    /// - Parameter context: The context of the request.
    /// - Throws: ``CTAPStatus`` if the person did not select it.
    func selection(in context: CeremonyContext) async throws(CTAPStatus)

    /// Returns a public key, so that the client can encrypt salts for `hmac-secret`.
    ///
    /// - Parameters:
    ///   - request: The subcommand and its parameters.
    ///   - context: The context of the request.
    /// - Returns: The answer to the subcommand.
    /// - Throws: ``CTAPStatus``; ``CTAPStatus/invalidCommand`` if the command is not supported.
    func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse
}

extension CTAPAuthenticator {
    /// Throws ``CTAPStatus/invalidCommand``: the command is not supported by default.
    public func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse {
        throw .invalidCommand
    }
}
