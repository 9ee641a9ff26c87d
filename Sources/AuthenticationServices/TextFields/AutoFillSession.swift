internal import WardAgentClient

/// What stands in for the program's own session in one task, for tests.
package enum LocalAutoFill {
    /// The session.
    @TaskLocal package static var session: AutoFillSession?
}

/// Ties requests that wait for a text field to the field that is being edited.
///
/// An adapter for a toolkit calls ``beginEditing(_:in:)`` when a field gets the focus, shows ``suggestions()``, hands the one
/// that is picked to ``accept(_:)``, and calls ``endEditing(_:)`` when the focus goes. Nothing is shown by the session itself.
@MainActor
public final class AutoFillSession {
    /// The session of this program.
    public nonisolated static let shared = AutoFillSession()
    nonisolated static var current: AutoFillSession { LocalAutoFill.session ?? shared }

    private struct WeakField {
        weak var field: (any AutoFillTextField)?
    }

    /// What is asked of the agent: for a request that waits, or for the field alone.
    fileprivate struct Entry {
        let request: AppRequest
        let waiting: (run: AuthorizationRun, index: Int)?
    }

    private var pending: [AuthorizationRun] = []
    private var edited = WeakField()
    private var form: [WeakField] = []

    /// Called when there may be other suggestions than before: requests came or went.
    public var onChange: (@MainActor () -> Void)?

    /// Makes a session of its own, for tests and for adapters with several windows.
    public nonisolated init() {}

    /// The field that is being edited.
    public var field: (any AutoFillTextField)? { edited.field }

    /// Says that a field is being edited now.
    ///
    /// - Parameters:
    ///   - field: The field; held weakly.
    ///   - form: The fields that are filled together with it, in any order; held weakly.
    public func beginEditing(_ field: any AutoFillTextField, in form: [any AutoFillTextField] = []) {
        edited = WeakField(field: field)
        self.form = form.map { WeakField(field: $0) }
    }

    /// Says that a field is not being edited any more.
    public func endEditing(_ field: any AutoFillTextField) {
        guard edited.field === field else { return }
        edited = WeakField()
        form = []
    }

    /// What could be filled into the field that is being edited, latest use first; asks nobody and tells no secret.
    ///
    /// - Returns: Suggestions; none when no field is edited or it expects nothing in particular.
    /// - Throws: ``ASAuthorizationError``; an adapter shows no suggestions then.
    public func suggestions() async throws(ASAuthorizationError) -> [AutoFillSuggestion] {
        let entries = entries()
        guard !entries.isEmpty else { return [] }
        let found = try await AgentGateway.current.call(SuggestForApp(requests: entries.map(\.request)))
        var suggestions = found.suggestions.compactMap(AutoFillSuggestion.init)
        if found.isLocked, !suggestions.contains(where: { $0.kind == .unlock }) { suggestions.append(.unlock) }
        return suggestions
    }

    /// Takes a suggestion that was picked: asks for consent where it is needed, and fills the fields or answers what waits.
    ///
    /// - Parameter suggestion: One of the latest ``suggestions()``.
    /// - Returns: What came of it.
    /// - Throws: ``ASAuthorizationError/canceled`` when the person did not consent or the app cancelled what waited;
    ///   ``ASAuthorizationError`` otherwise, and then what waited for it ended with the same error.
    public func accept(_ suggestion: AutoFillSuggestion) async throws(ASAuthorizationError) -> AutoFillResult {
        let gateway = AgentGateway.current
        guard suggestion.kind != .unlock else {
            _ = try await gateway.call(UnlockForApp())
            return .unlocked
        }
        let entries = entries()
        let field = edited.field
        let form = form
        let waiting = entries.filter { $0.answers(suggestion) }.compactMap(\.waiting?.run)
        let question = AuthorizeApp(requests: entries.map(\.request), suggestion: suggestion.id)
        let result: AuthorizeApp.Result
        do throws(ASAuthorizationError) {
            result = try await ask(question, gateway, for: waiting)
        } catch {
            // Who closes the prompt may pick again; anything else will not get better by waiting.
            if error.code != .canceled { for run in waiting { run.end(.failure(error)) } }
            throw error
        }
        guard entries.indices.contains(result.request) else {
            let error = ASAuthorizationError(.invalidResponse, "the agent answered something else than was asked")
            for run in waiting { run.end(.failure(error)) }
            throw error
        }
        let entry = entries[result.request]
        guard let (run, index) = entry.waiting else {
            fill(result, entry.request.kind, field, form)
            return .filled
        }
        do throws(ASAuthorizationError) {
            let outcome = AuthorizationOutcome(index: index, credential: try run.requests[index].credential(result))
            guard !run.hasEnded else { throw ASAuthorizationError(.canceled, "the app cancelled the authorization") }
            run.end(.success(outcome))
            return .completed
        } catch {
            run.end(.failure(error))
            throw error
        }
    }

    /// Has a run wait.
    func add(_ run: AuthorizationRun) {
        pending.removeAll(where: \.hasEnded)
        guard !run.hasEnded else { return }
        pending.append(run)
        onChange?()
    }

    /// Lets a run go that ended.
    func remove(_ run: AuthorizationRun) {
        guard pending.contains(where: { $0 === run }) else { return }
        pending.removeAll { $0 === run }
        onChange?()
    }

    /// Asks so that the question ends with what waits for it.
    private func ask(
        _ question: AuthorizeApp,
        _ gateway: AgentGateway,
        for waiting: [AuthorizationRun]
    ) async throws(ASAuthorizationError) -> AuthorizeApp.Result {
        let asking = Task { () async -> Result<AuthorizeApp.Result, ASAuthorizationError> in
            do throws(ASAuthorizationError) { return .success(try await gateway.call(question)) } catch {
                return .failure(error)
            }
        }
        let stopping = waiting.map { run in
            let stop = Task {
                await withTaskCancellationHandler {
                    _ = await asking.value
                } onCancel: {
                    asking.cancel()
                }
            }
            run.adopt(stop)
            return stop
        }
        return try await withTaskCancellationHandler {
            await asking.value
        } onCancel: {
            asking.cancel()
            for stop in stopping { stop.cancel() }
        }.get()
    }

    private func entries() -> [Entry] {
        guard let field = edited.field, let type = field.textContentType else { return [] }
        switch type {
        case .username:
            pending.removeAll(where: \.hasEnded)
            var entries = pending.flatMap { run -> [Entry] in
                let domain = run.requests.compactMap { $0.request?.domain }.first ?? field.domain
                return run.requests.indices.compactMap { index -> Entry? in
                    guard run.requests[index].isAutoFillAssisted, let request = run.requests[index].request else {
                        return nil
                    }
                    return Entry(request: request.beside(domain), waiting: (run, index))
                }
            }
            if !entries.contains(where: { $0.request.kind == .password }) {
                let domain = field.domain ?? entries.first?.request.domain
                entries.append(Entry(request: AppRequest(.password, domain: domain), waiting: nil))
            }
            return entries
        case .password: return [Entry(request: AppRequest(.password, domain: field.domain), waiting: nil)]
        case .newPassword:
            var request = AppRequest(.newPassword, domain: field.domain)
            // What it is kept with.
            request.user = form.compactMap(\.field).first { $0.textContentType == .username && !$0.text.isEmpty }?.text
            return [Entry(request: request, waiting: nil)]
        case .oneTimeCode: return [Entry(request: AppRequest(.oneTimeCode, domain: field.domain), waiting: nil)]
        default: return []
        }
    }

    private func fill(
        _ result: AuthorizeApp.Result,
        _ kind: AppRequest.Kind,
        _ field: (any AutoFillTextField)?,
        _ form: [WeakField]
    ) {
        let fields = form.compactMap(\.field) + (field.map { [$0] } ?? [])
        func put(_ text: String?, into type: TextContentType) {
            guard let text else { return }
            for field in fields where field.textContentType == type { field.text = text }
        }
        switch kind {
        case .password:
            put(result.user, into: .username)
            put(result.password, into: .password)
        case .newPassword: put(result.password, into: .newPassword)
        case .oneTimeCode: put(result.code, into: .oneTimeCode)
        default: break
        }
    }
}

extension AutoFillSession.Entry {
    /// Whether a suggestion may answer it.
    fileprivate func answers(_ suggestion: AutoFillSuggestion) -> Bool {
        switch suggestion.kind {
        case .passkey: request.kind == .passkeyAssertion && request.domain == suggestion.domain
        case .password: request.kind == .password
        default: false
        }
    }
}
