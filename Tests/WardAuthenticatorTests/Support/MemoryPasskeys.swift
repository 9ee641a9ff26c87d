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
    /// From now on it answers with all it has, whatever is asked for.
    func confuse() { state.withLock { $0.isConfused = true } }

    private func begin(_ call: Call) throws(PasskeyStoreError) {
        let failure = state.withLock { state in
            state.calls.append(call)
            return state.failures[call]
        }
        if let failure { throw failure }
    }

    func list(for rpID: String, among ids: [CredentialID]?) async throws(PasskeyStoreError) -> [PasskeyInfo] {
        try begin(.look)
        if state.withLock({ $0.isConfused }) { return passkeys.map(\.info) }
        return inner.list(for: rpID, among: ids)
    }

    func makeKey(for passkey: NewPasskey) async throws(PasskeyStoreError) -> MemoryPasskeyStore.Key {
        try begin(.draw)
        return try await inner.makeKey(for: passkey)
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
