import WardAccounts
import WardRelyingParty
import WardWebAuthn

extension AccountStore {
    /// The shapes of decoys.
    ///
    /// They are drawn from the service's own accounts and stored, so that a name always gets the same decoys.
    ///
    /// They are drawn at the first start with 64 accounts, and again with 1,024 and 16,384. Each time some names get other
    /// decoys, just as real accounts get other passkeys. Before that, and if no account has a passkey, ``DecoyShapes/typical``
    /// is used.
    func decoyShapes() async throws -> DecoyShapes {
        let levels = [16_384, 1_024, 64]
        let (kept, fresh) = try await read { tx -> (DecoyShapes?, (level: Int, shapes: DecoyShapes)?) in
            var kept: DecoyShapes?
            var missing: [Int] = []
            for level in levels {
                kept = try await tx.secret(named: Self.name(level)).flatMap { DecoyShapes(encoded: $0) }
                if kept != nil { break }
                missing.append(level)
            }
            guard let largest = missing.first else { return (kept, nil) }
            let accounts = try await tx.accounts(limit: largest)
            guard let level = missing.first(where: { $0 <= accounts.count }) else { return (kept, nil) }
            var lists: [[PublicKeyCredentialDescriptor]] = []
            for account in accounts { lists.append(try await tx.passkeys(of: account.id).map(\.record.descriptor)) }
            return (kept, DecoyShapes(of: lists).map { (level, $0) })
        }
        guard let fresh else { return kept ?? .typical }
        // Another process may have stored shapes in the meantime. The first process wins.
        let stored = try await write { try await $0.insertSecret(named: Self.name(fresh.level), fresh.shapes.encoded) }
        return DecoyShapes(encoded: stored) ?? fresh.shapes
    }

    private static func name(_ level: Int) -> String { "decoy shapes \(level)" }
}
