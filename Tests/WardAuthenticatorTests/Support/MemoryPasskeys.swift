import Synchronization
import WardAuthenticator
import WardCOSE
import WardCTAP
import WardTesting
import WardWebAuthn

/// A store in memory that can fail on demand, and tells what it was asked.
final class MemoryPasskeys: PasskeyStore {
    /// What a store is asked to do.
    enum Call: Hashable, Sendable { case look, draw, create, sign, hmacSecret, read, write, note }

    private struct State {
        var failures: [Call: PasskeyStoreError] = [:]
        var calls: [Call] = []
        var isConfused = false
        var cancelling: Call?
        var drawn: COSEAlgorithmIdentifier?
    }

    private let inner: MemoryPasskeyStore
    private let state = Mutex(State())

    init(_ keys: MemoryPasskeyStore.Keys) { inner = MemoryPasskeyStore(keys: keys) }

    var passkeys: [MemoryPasskeyStore.Passkey] { inner.passkeys }
    var calls: [Call] { state.withLock { $0.calls } }
    var algorithms: [COSEAlgorithmIdentifier] { inner.algorithms }

    @discardableResult
    func add(
        _ info: PasskeyInfo,
        _ key: SoftwarePasskeyKey,
        _ largeBlob: [UInt8]?
    ) async -> MemoryPasskeyStore.Passkey {
        await inner.add(info, key, rpName: "Example", largeBlob: largeBlob)
    }

    func fail(at call: Call, with code: PasskeyStoreError.Code = .failed) {
        state.withLock { $0.failures[call] = PasskeyStoreError(code, "on purpose") }
    }
    /// From now on it answers with all it has, also if less is asked for.
    func confuse() { state.withLock { $0.isConfused = true } }

    /// Cancels the task that asks for this from now on.
    func cancel(at call: Call) { state.withLock { $0.cancelling = call } }
    /// From now on it makes keys of this kind, also if another kind is asked for.
    func draw(_ algorithm: COSEAlgorithmIdentifier) { state.withLock { $0.drawn = algorithm } }

    private func begin(_ call: Call) throws(PasskeyStoreError) {
        let failure = state.withLock { state in
            state.calls.append(call)
            return state.failures[call]
        }
        if state.withLock({ $0.cancelling == call }) { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        if let failure { throw failure }
    }

    func list(for rpID: String, among ids: [CredentialID]?) async throws(PasskeyStoreError) -> [PasskeyInfo] {
        try begin(.look)
        if state.withLock({ $0.isConfused }) { return passkeys.map(\.info) }
        return inner.list(for: rpID, among: ids)
    }

    func makeKey(for passkey: NewPasskey) async throws(PasskeyStoreError) -> MemoryPasskeyStore.Key {
        try begin(.draw)
        guard let drawn = state.withLock({ $0.drawn }) else { return try await inner.makeKey(for: passkey) }
        let other = NewPasskey(
            id: passkey.id,
            rpID: passkey.rpID,
            rpName: passkey.rpName,
            userHandle: passkey.userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            algorithm: drawn,
            protection: passkey.protection,
            createdAt: passkey.createdAt,
            isUpgrade: passkey.isUpgrade
        )
        return try await inner.makeKey(for: other)
    }

    func create(
        _ passkey: NewPasskey,
        with key: MemoryPasskeyStore.Key,
        replacing replaced: [CredentialID]
    ) async throws(PasskeyStoreError) {
        try begin(.create)
        inner.create(passkey, with: key, replacing: replaced)
    }

    func sign(
        _ message: [UInt8],
        with id: CredentialID,
        for rpID: String
    ) async throws(PasskeyStoreError) -> [UInt8] {
        try begin(.sign)
        return try await inner.sign(message, with: id, for: rpID)
    }

    func hmacSecret(
        of salts: PRFSalts,
        with id: CredentialID,
        for rpID: String,
        isVerified: Bool
    ) async throws(PasskeyStoreError) -> PRFSalts? {
        try begin(.hmacSecret)
        return try await inner.hmacSecret(of: salts, with: id, for: rpID, isVerified: isVerified)
    }

    func largeBlob(of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) -> [UInt8]? {
        try begin(.read)
        return try await inner.largeBlob(of: id, for: rpID)
    }

    func write(largeBlob: [UInt8], of id: CredentialID, for rpID: String) async throws(PasskeyStoreError) {
        try begin(.write)
        try await inner.write(largeBlob: largeBlob, of: id, for: rpID)
    }

    func noteUse(of id: CredentialID, for rpID: String, at time: Int64) async throws(PasskeyStoreError) {
        try begin(.note)
    }
}
