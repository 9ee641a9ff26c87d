internal import WardAgentClient

/// Replaces the program's session for one task, for tests.
package enum LocalAutoFill {
    /// The session.
    @TaskLocal package static var session: AutoFillSession?
}

/// Connects requests that wait for a text field with the field that is being edited.
///
/// An adapter for a toolkit calls ``beginEditing(_:in:)`` when a field gets the focus, shows ``suggestions()``, passes
/// the picked one to ``accept(_:)``, and calls ``endEditing(_:)`` when the field loses the focus. The session itself
/// shows nothing.
@MainActor
public final class AutoFillSession {
    /// The session of this program.
    public nonisolated static let shared = AutoFillSession()
    nonisolated static var current: AutoFillSession { LocalAutoFill.session ?? shared }

    private struct WeakField {
        weak var field: (any AutoFillTextField)?
    }

    /// A suggestion's source: a waiting request, or the field alone.
    fileprivate struct Entry {
        let request: AppRequest
        let waiting: (run: AuthorizationRun, index: Int)?
    }

    private var pending: [AuthorizationRun] = []
    private var edited = WeakField()
    private var form: [WeakField] = []

    /// The suggestions of all credential managers for some requests.
    ///
    /// The value stays until it is shown, so that slow managers are included.
    private var late: (requests: [AppRequest], suggestions: [AutoFillSuggestion])?
    private var askingAll: Task<Void, Never>?

    /// Called when the suggestions may have changed: requests were added or removed, or a slow credential manager answered.
    public var onChange: (@MainActor () -> Void)?

    /// Creates a separate session, for tests and for adapters with several windows.
    public nonisolated init() {}

    /// The field that is being edited.
    public var field: (any AutoFillTextField)? { edited.field }

    /// Starts editing a field.
    ///
    /// - Parameters:
    ///   - field: The field; held weakly.
    ///   - form: The fields that are filled together with it, in any order; held weakly.
    public func beginEditing(_ field: any AutoFillTextField, in form: [any AutoFillTextField] = []) {
        forgetLate()
        edited = WeakField(field: field)
        self.form = form.map { WeakField(field: $0) }
    }

    /// Ends editing a field.
    public func endEditing(_ field: any AutoFillTextField) {
        guard edited.field === field else { return }
        forgetLate()
        edited = WeakField()
        form = []
    }

    private func forgetLate() {
        askingAll?.cancel()
        late = nil
    }

    /// The suggestions for the field that is being edited, latest use first.
    ///
    /// No prompt is shown, and no secret is returned. A credential manager that does not answer within 300 milliseconds is left
    /// out. When it answers, ``onChange`` is called, and the next call also returns its suggestions.
    ///
    /// - Returns: Suggestions; empty if no field is edited or the field has no content type.
    /// - Throws: ``ASAuthorizationError``; an adapter then shows no suggestions.
    public func suggestions() async throws(ASAuthorizationError) -> [AutoFillSuggestion] {
        let requests = entries().map(\.request)
        askingAll?.cancel()
        guard !requests.isEmpty else { return [] }
        if let late, late.requests == requests {
            self.late = nil
            return late.suggestions
        }
        let gateway = AgentGateway.current
        let found = try await gateway.call(SuggestForApp(requests: requests))
        if found.isPartial == true { waitForAll(requests, gateway) }
        return Self.suggestions(found)
    }

    /// Requests the whole list from the agent, and calls ``onChange`` when the list arrives.
    private func waitForAll(_ requests: [AppRequest], _ gateway: AgentGateway) {
        askingAll?.cancel()
        askingAll = Task { [weak self] in
            // If this request fails, the shown suggestions stay.
            guard let found = try? await gateway.call(SuggestForApp(requests: requests, waitsForAll: true)),
                let self, !Task.isCancelled, entries().map(\.request) == requests
            else { return }
            late = (requests, Self.suggestions(found))
            onChange?()
        }
    }

    private static func suggestions(_ found: SuggestForApp.Result) -> [AutoFillSuggestion] {
        var suggestions = found.suggestions.compactMap(AutoFillSuggestion.init)
        if found.isLocked, !suggestions.contains(where: { $0.kind == .unlock }) { suggestions.append(.unlock) }
        return suggestions
    }

    /// Accepts a picked suggestion: asks for consent if necessary, and fills the fields or answers the waiting request.
    ///
    /// - Parameter suggestion: One of the latest ``suggestions()``.
    /// - Returns: The result.
    /// - Throws: ``ASAuthorizationError/canceled`` if the person declined or the app cancelled the waiting request;
    ///   otherwise another ``ASAuthorizationError``, and the waiting request ends with the same error.
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
            // A person who closes the prompt can pick again. Other errors also end the waiting requests.
            if error.code != .canceled { for run in waiting { run.end(.failure(error)) } }
            throw error
        }
        guard entries.indices.contains(result.request) else {
            let error = ASAuthorizationError(
                .invalidResponse,
                "the agent's answer does not match the request: update ward"
            )
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

    /// Adds a run that waits for a text field.
    func add(_ run: AuthorizationRun) {
        pending.removeAll(where: \.hasEnded)
        guard !run.hasEnded else { return }
        pending.append(run)
        onChange?()
    }

    /// Removes a run that ended.
    func remove(_ run: AuthorizationRun) {
        guard pending.contains(where: { $0 === run }) else { return }
        pending.removeAll { $0 === run }
        onChange?()
    }

    /// Sends the request to the agent.
    ///
    /// The prompt closes when the waiting request ends.
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
            // The user name to save the new password with.
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
    /// Whether the suggestion can answer the request.
    fileprivate func answers(_ suggestion: AutoFillSuggestion) -> Bool {
        switch suggestion.kind {
        case .passkey: request.kind == .passkeyAssertion && request.domain == suggestion.domain
        case .password: request.kind == .password
        default: false
        }
    }
}
