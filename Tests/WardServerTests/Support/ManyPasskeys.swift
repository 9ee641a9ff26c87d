import Testing
import WardAccounts
import WardTesting
import WardWebAuthn

/// Writes passkeys for an account straight into the store.
func addPasskeys(
    _ count: Int,
    idLength: Int,
    transports: [AuthenticatorTransport] = [.internal, .hybrid],
    to name: String,
    in store: MemoryAccountStore
) async throws {
    try await store.write { tx in
        let account = try #require(try tx.account(username: name))
        let pattern = try #require(try tx.passkeys(of: account.id).first)
        for index in 0..<count {
            var record = pattern.record
            record.id = try #require(
                CredentialID([UInt8(index >> 8), UInt8(index & 0xff)] + [UInt8](repeating: 7, count: idLength - 2))
            )
            record.transports = transports
            try tx.insert(Passkey(record, of: account.id, named: "\(index)", createdAt: Int64(index)))
        }
    }
}
