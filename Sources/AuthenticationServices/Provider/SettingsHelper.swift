public import Foundation
internal import WardAgentClient

/// Lets the app of a credential manager ask the person to enable the manager.
///
/// First set ``CredentialProviderExtension/identifier`` to the identifier in the manager's declaration.
public final class ASSettingsHelper: NSObject {
    /// Asks the person to enable this manager.
    ///
    /// The agent shows the prompt, with the names of this program and the manager, and the manager's declaration.
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

    /// Asks the person to enable this manager.
    ///
    /// - Parameter completionHandler: Gets whether the manager is on now.
    public static func requestToTurnOnCredentialProviderExtension(
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        Task { completionHandler(await requestToTurnOnCredentialProviderExtension()) }
    }

    /// Opens the settings of credential managers.
    ///
    /// Linux has no window for these settings. Show the command `ward providers list`, or call
    /// ``requestToTurnOnCredentialProviderExtension()``.
    ///
    /// - Throws: ``ASAuthorizationError/notHandled``, always.
    public static func openCredentialProviderAppSettings() async throws {
        throw ASAuthorizationError(
            .notHandled,
            "Linux has no window for these settings. Use this command: ward providers list"
        )
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
