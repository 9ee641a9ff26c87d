import Foundation
import WardAccounts
import WardWebAuthn

/// Runs a closure with a directory that is gone afterwards.
func withDirectory(_ body: (_ path: String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("ward-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// Records to fill a store with; each is another one.
enum Person {
    static func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    static func account(_ name: String) throws -> Account {
        Account(
            id: .random(using: random),
            username: try Username(name),
            displayName: name,
            userHandle: .random(Effects(now: { 0 }, randomBytes: random)),
            createdAt: 1_700_000_000
        )
    }

    static func passkey(of account: Account) -> Passkey {
        let record = CredentialRecord(
            id: CredentialID(random(32))!,
            userHandle: account.userHandle,
            publicKey: random(77),
            signCount: 0,
            uvInitialized: true,
            transports: [.internal],
            backupEligible: true,
            backedUp: true,
            aaguid: AAGUID(random(16))!,
            attestationFormat: "none",
            attestationObject: random(200),
            clientDataJSON: random(134),
            rpID: "ward.example"
        )
        return Passkey(record, of: account.id, named: "Passkey", createdAt: 1_700_000_000)
    }

    static func session(of account: Account, token: SessionToken) -> Session {
        Session(
            id: .random(using: random),
            tokenHash: token.hash,
            accountID: account.id,
            createdAt: 1_700_000_000,
            authenticatedAt: 1_700_000_000,
            method: .passkey,
            lastSeenAt: 1_700_000_000,
            idleExpiresAt: nil,
            expiresAt: 1_700_086_400,
            userAgent: "Browser"
        )
    }
}
