/// Checks that requests can be combined in one sheet.
package enum RequestCombination {
    /// - Parameter requests: The requests; `nil` stands for one that the app itself answers.
    /// - Throws: ``AgentError`` with `invalid_combination` if one makes something and another uses something, or if one is
    ///   conditional and is not the registration of a passkey, alone.
    package static func check(_ requests: [AppRequest?]) throws(AgentError) {
        let made = requests.count { $0?.kind.makesSomething == true }
        guard made == 0 || made == requests.count else {
            throw AgentError(
                .invalidCombination,
                "registrations cannot be combined with sign-in requests: send them separately"
            )
        }
        for case let request? in requests where request.mediation == .conditional {
            guard request.kind == .passkeyRegistration, requests.count == 1 else {
                throw AgentError(
                    .invalidCombination,
                    "only the registration of a passkey can be conditional, and only alone: send it separately"
                )
            }
        }
    }
}

extension AppRequest.Kind {
    /// Whether a request of this kind creates a credential.
    fileprivate var makesSomething: Bool {
        let making: [Self] = [.passkeyRegistration, .securityKeyRegistration, .accountCreation, .newPassword]
        return making.contains(self)
    }
}
