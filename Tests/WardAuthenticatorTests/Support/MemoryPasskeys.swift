import Synchronization
import WardAuthenticator
import WardWebAuthn

/// A store in memory that can fail on demand, and tells what it was asked.
final class MemoryPasskeys: WardAuthenticator.CredentialStore {
    /// What a store is asked to do.
    enum Call: Hashable, Sendable { case look, save, write, note }

    private struct State {
        var credentials: [StoredCredential] = []
        var failures: [Call: CredentialStoreError] = [:]
        var calls: [Call] = []
        var isConfused = false
    }

    private let state = Mutex(State())

    var credentials: [StoredCredential] { state.withLock { $0.credentials } }
    var calls: [Call] { state.withLock { $0.calls } }

    func add(_ credential: StoredCredential) { state.withLock { $0.credentials.append(credential) } }
    func fail(at call: Call, with code: CredentialStoreError.Code = .failed) {
        state.withLock { $0.failures[call] = CredentialStoreError(code, "on purpose") }
    }
    /// From now on it answers with all it has, whatever is asked for.
    func confuse() { state.withLock { $0.isConfused = true } }

    private func begin(_ call: Call) throws(CredentialStoreError) {
        let failure = state.withLock { state in
            state.calls.append(call)
            return state.failures[call]
        }
        if let failure { throw failure }
    }

    func credentials(
        for relyingPartyID: String,
        among ids: [CredentialID]?
    ) async throws(CredentialStoreError) -> [StoredCredential] {
        try begin(.look)
        return state.withLock { state in
            guard !state.isConfused else { return state.credentials }
            return state.credentials.filter { credential in
                credential.relyingPartyID == relyingPartyID && (ids?.contains(credential.id) ?? true)
            }
        }
    }

    func save(
        _ credential: StoredCredential,
        replacing replaced: [CredentialID]
    ) async throws(CredentialStoreError) {
        try begin(.save)
        state.withLock { state in
            state.credentials.removeAll { replaced.contains($0.id) }
            state.credentials.append(credential)
        }
    }

    func write(
        largeBlob: [UInt8],
        of id: CredentialID,
        for relyingPartyID: String
    ) async throws(CredentialStoreError) {
        try begin(.write)
        state.withLock { state in
            guard let index = state.credentials.firstIndex(where: { $0.id == id }) else { return }
            state.credentials[index].largeBlob = largeBlob
        }
    }

    func noteUse(
        of id: CredentialID,
        for relyingPartyID: String,
        at time: Int64
    ) async throws(CredentialStoreError) {
        try begin(.note)
    }
}
