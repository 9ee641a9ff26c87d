internal import Synchronization
internal import WardCTAP

/// The reason why the vault stayed locked in a ceremony.
///
/// A CTAP status cannot express it.
final class UnlockFault: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    /// Records the first error.
    func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }

    /// Runs a ceremony.
    ///
    /// If it fails and an error was recorded, the recorded error is thrown instead.
    func named<T>(_ ceremony: () async throws -> T) async throws -> T {
        do { return try await ceremony() } catch { throw first.withLock { $0 } ?? error }
    }
}

/// Opens the vault at the first request to the authenticator, so that the prompt can name the purpose.
///
/// By then the client has checked the page's right to the RP ID. The typed passphrase also verifies the person for this
/// ceremony (``CeremonyProof``).
struct UnlockingAuthenticator<Base: CTAPAuthenticator>: CTAPAuthenticator {
    let base: Base
    let fault: UnlockFault
    /// Opens the vault for a purpose.
    ///
    /// The sentences describe the page.
    let unlock: @Sendable (_ purpose: PromptPurpose, _ page: [PromptSentence]) async throws -> Void

    func info() async throws(CTAPStatus) -> AuthenticatorInfo { try await base.info() }

    func makeCredential(
        _ request: MakeCredentialRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> MakeCredentialResponse {
        let rpID = request.relyingParty.id
        let account = [request.user.name, request.user.displayName].lazy.compactMap { $0.flatMap(CleanText.name) }.first
        try await open(.makePasskey(account: account, sites: [.domain(rpID)], more: 0), context.pageForPrompt(rpID))
        return try await base.makeCredential(request, in: context)
    }

    func getAssertion(
        _ request: GetAssertionRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> GetAssertionResponse {
        let rpID = request.rpID
        try await open(.signIn(sites: [.domain(rpID)], more: 0), context.pageForPrompt(rpID))
        return try await base.getAssertion(request, in: context)
    }

    func getNextAssertion(in context: CeremonyContext) async throws(CTAPStatus) -> GetAssertionResponse {
        try await base.getNextAssertion(in: context)
    }

    func selection(in context: CeremonyContext) async throws(CTAPStatus) { try await base.selection(in: context) }

    func clientPIN(
        _ request: ClientPINRequest,
        in context: CeremonyContext
    ) async throws(CTAPStatus) -> ClientPINResponse {
        try await base.clientPIN(request, in: context)
    }

    private func open(_ purpose: PromptPurpose, _ page: [PromptSentence]) async throws(CTAPStatus) {
        do {
            try await unlock(purpose, page)
        } catch {
            fault.note(error)
            throw error is CancellationError ? .keepaliveCancel : .operationDenied
        }
    }
}
