internal import AuthenticationServices
internal import Foundation
internal import Synchronization
package import WardAgentClient
package import WardTesting
import WardText
internal import WardWebAuthn

/// A person with a credential manager: what it holds, and what they do when they are asked.
package final class AppFixture: Sendable {
    package struct State: Sendable {
        package init() {}
        package var authenticator = VirtualAuthenticator(origin: "https://example.com")
        package var passwords: [String: String] = [:]
        /// Accounts whose password was filled in moments ago.
        package var justFilled: Set<String> = []
        package var arePasskeysOff = false
        package var isLocked = false
        /// Whether a manager with passwords does not answer in time.
        package var isSlow = false
        /// The kind that they choose when there are several.
        package var choice: AppRequest.Kind?
        /// What they do when they are asked.
        package var refusal: AgentError?
        package var contact = "anna@example.com"
        package var personName: String? = "Anna Maria Muster"
        package var saved: [SaveForApp] = []
        package var signals: [SignalFromApp] = []
        package var prompts = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }
    package var now: State { state.withLock { $0 } }

    /// Runs a body as an app of this person.
    package static func running<T>(
        isolation: isolated (any Actor)? = #isolation,
        _ fixture: AppFixture = AppFixture(),
        _ body: (AppFixture, FakeAgent) async throws -> T
    ) async throws -> T {
        let agent = FakeAgent { call in try fixture.answer(call) }
        try await agent.start()
        let session = AutoFillSession()
        let result = try await AgentGateway.$local.withValue(AgentGateway(paths: agent.paths)) {
            try await LocalAutoFill.$session.withValue(session) { try await body(fixture, agent) }
        }
        await agent.die()
        return result
    }

    package func answer(_ call: FakeAgent.Call) throws -> FakeAgent.Answer {
        do {
            switch call.method {
            case Hello.name: return .welcome
            case AuthorizeApp.name: return .result(try authorize(call.parameters(AuthorizeApp.self)))
            case SuggestForApp.name: return .result(try suggest(call.parameters(SuggestForApp.self)))
            case UnlockForApp.name:
                change { $0.isLocked = false }
                return .result(Done())
            case SaveForApp.name:
                let save = try call.parameters(SaveForApp.self)
                change { $0.saved.append(save) }
                return .result(Done())
            case SignalFromApp.name:
                let signal = try call.parameters(SignalFromApp.self)
                change { $0.signals.append(signal) }
                return .result(Done())
            default: return .refusal(AgentError(.unknownMethod, "\(call.method) is not known"))
            }
        } catch let error as AgentError {
            return .refusal(error)
        }
    }

    private func authorize(_ question: AuthorizeApp) throws -> AuthorizeApp.Result {
        try state.withLock { state in
            let nothing = AgentError(.nothingAvailable, "there is nothing here for this app")
            if let wanted = question.requests.first(where: { $0.mediation == .conditional }) {
                let options = try Self.creation(wanted)
                guard state.justFilled.remove(options.user.name) != nil else { throw nothing }
                state.authenticator.behaviour.isUserPresent = false
                defer { state.authenticator.behaviour.isUserPresent = true }
                let made = try state.authenticator.create(options)
                return AuthorizeApp.Result(request: 0, response: String(decoding: made.json, as: UTF8.self))
            }
            let registers = question.requests.contains { $0.kind.rawValue.hasSuffix("egistration") }
            let creates = question.requests.contains { $0.kind == .accountCreation }
            if state.arePasskeysOff, registers || creates {
                throw AgentError(.passkeysOff, "passkeys are switched off: ward passkeys --on switches them on")
            }
            let available = question.requests.indices.filter { Self.has(question.requests[$0], state) }
            guard !available.isEmpty else { throw nothing }
            state.prompts += 1
            if let refusal = state.refusal { throw refusal }
            let name = question.suggestion?.split(separator: "|").first.map(String.init)
            let wanted = name.map { AppRequest.Kind(rawValue: $0) } ?? state.choice
            let index = available.first { question.requests[$0].kind == wanted } ?? available[0]
            return try Self.take(index, question.requests[index], &state)
        }
    }

    private static func has(_ request: AppRequest, _ state: State) -> Bool {
        switch request.kind {
        case .passkeyRegistration, .securityKeyRegistration, .accountCreation, .otherAccount, .newPassword,
            .oneTimeCode:
            true
        case .passkeyAssertion, .securityKeyAssertion:
            !state.arePasskeysOff && state.authenticator.credentials.contains { $0.rpID == request.domain }
        case .password: !state.passwords.isEmpty
        default: false
        }
    }

    private static func take(
        _ index: Int,
        _ request: AppRequest,
        _ state: inout State
    ) throws -> AuthorizeApp.Result {
        switch request.kind {
        case .passkeyRegistration, .securityKeyRegistration, .accountCreation:
            var options = try creation(request)
            let excluded = Set(options.excludeCredentials.map(\.id))
            guard !state.authenticator.credentials.contains(where: { excluded.contains($0.id) }) else {
                throw AgentError(.matchedExcluded, "there is a passkey for this account already")
            }
            if request.kind == .accountCreation { options.user.name = state.contact }
            let made = try state.authenticator.create(options)
            var result = AuthorizeApp.Result(request: index, response: String(decoding: made.json, as: UTF8.self))
            if request.kind == .accountCreation {
                result.user = state.contact
                result.personName = request.wantsName == true ? state.personName : nil
            }
            return result
        case .passkeyAssertion, .securityKeyAssertion:
            let options = try PublicKeyCredentialRequestOptions(JSONValue(Array((request.options ?? "").utf8)))
            let used = try state.authenticator.get(options)
            return AuthorizeApp.Result(request: index, response: String(decoding: used.json, as: UTF8.self))
        case .password:
            guard let (user, password) = state.passwords.first else { throw CocoaError(.coderValueNotFound) }
            state.justFilled.insert(user)
            return AuthorizeApp.Result(request: index, user: user, password: password)
        case .newPassword: return AuthorizeApp.Result(request: index, password: "correct-horse-7")
        case .oneTimeCode: return AuthorizeApp.Result(request: index, code: "287082")
        default: return AuthorizeApp.Result(request: index)
        }
    }

    private func suggest(_ question: SuggestForApp) throws -> SuggestForApp.Result {
        state.withLock { state in
            guard !state.isLocked else { return SuggestForApp.Result(isLocked: true, suggestions: []) }
            let isPartial = state.isSlow && question.waitsForAll != true
            let suggestions = question.requests.filter {
                Self.has($0, state) && !(isPartial && $0.kind == .password)
            }
            .map { request in
                AppSuggestion(
                    id: "\(request.kind.rawValue)|1",
                    kind: request.kind,
                    user: request.kind == .password ? state.passwords.keys.first ?? "" : "anna",
                    domain: request.domain ?? "example.com",
                    provider: "Ward"
                )
            }
            return SuggestForApp.Result(
                isLocked: false,
                suggestions: suggestions,
                isPartial: isPartial ? true : nil
            )
        }
    }

    private static func creation(_ request: AppRequest) throws -> PublicKeyCredentialCreationOptions {
        try PublicKeyCredentialCreationOptions(JSONValue(Array((request.options ?? "").utf8)))
    }
}
