public import Foundation
internal import WardAgentClient

/// Lets a credential manager's app turn the manager on.
///
/// Set ``CredentialProviderExtension/identifier`` first, as in the manager's declaration.
public final class ASSettingsHelper: NSObject {
    /// Asks the person to turn this manager on.
    ///
    /// The agent shows the prompt, which names this program, the manager and its declaration.
    ///
    /// - Returns: Whether the manager is on now. Without an agent, a declaration or an identifier it is `false`.
    public static func requestToTurnOnCredentialProviderExtension() async -> Bool {
        guard let identifier = CredentialProviderExtension.identifier else { return false }
        do {
            _ = try await AgentGateway.current.call(EnableProviderForApp(identifier: identifier))
            return true
        } catch {
            return false
        }
    }

    /// Asks the person to turn this manager on.
    ///
    /// - Parameter completionHandler: Gets whether the manager is on now.
    public static func requestToTurnOnCredentialProviderExtension(
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        Task { completionHandler(await requestToTurnOnCredentialProviderExtension()) }
    }

    /// Opens the settings of credential managers.
    ///
    /// There is no window with these settings here: show the command `ward providers list`, or
    /// call ``requestToTurnOnCredentialProviderExtension()``.
    ///
    /// - Throws: ``ASAuthorizationError/notHandled``, always.
    public static func openCredentialProviderAppSettings() async throws {
        throw ASAuthorizationError(.notHandled, "There is no window with these settings. Use: ward providers list")
    }

    /// Opens the settings of verification codes.
    ///
    /// As ``openCredentialProviderAppSettings()``.
    ///
    /// - Throws: ``ASAuthorizationError/notHandled``, always.
    public static func openVerificationCodeAppSettings() async throws {
        try await openCredentialProviderAppSettings()
    }
}
