internal import WardLog
public import WardWebAuthn

/// The last use of passkeys.
extension Vault {
    /// Records that a passkey was used.
    ///
    /// It is written at most once a day, so that sign-ins do not fill the history, and a person with the file does not see when
    /// they happened. In a vault that several devices share, this device keeps the use in a sealed record of its own and shows it
    /// from there. It comes into the log with the next change of the item, or once a day with all others, at a moment that says
    /// nothing about the use: see `writeDueUses()`.
    ///
    /// - Parameter credentialID: The credential ID.
    /// - Throws: ``VaultError`` with `itemMissing` when no passkey has this credential ID, or as ``write(_:)``.
    public func recordUse(of credentialID: CredentialID) throws(VaultError) {
        let open = try open()
        let now = environment.effects.now()
        guard let summary = open.index.summary(credentialID: credentialID).map({ open.uses.shown(in: $0) }),
            let passkey = summary.passkeys.first(where: { $0.credentialID == credentialID })
        else { throw VaultError(.itemMissing, "no passkey has this credential ID") }
        guard open.chain.circle != nil else {
            if let last = passkey.lastUsedAt {
                let gap = now > last ? now &- last : last &- now
                if (0..<86_400).contains(gap) { return }
            }
            return try write([summary.id: [credentialID: now]], open)
        }
        var uses = open.uses
        let chance = try environment.random(8).reduce(0) { $0 << 8 | UInt64($1) }
        uses.note(credentialID, at: now, chance: chance)
        try open.keep(uses)
        try writeDueUses()
    }

    /// Writes the uses of passkeys that wait, if it is time.
    ///
    /// - Throws: ``VaultError`` as ``write(_:)``; the uses wait on then.
    package func writeDueUses() throws(VaultError) {
        let open = try open()
        guard open.uses.isDue(environment.effects.now()), try open.isInCircle() else { return }
        var late: [ItemID: [CredentialID: Int64]] = [:]
        for (credentialID, time) in open.uses.times {
            // A passkey that is gone, and one whose use came into the log meanwhile, needs nothing.
            guard let summary = open.index.summary(credentialID: credentialID),
                let passkey = summary.passkeys.first(where: { $0.credentialID == credentialID }),
                passkey.lastUsedAt.map({ $0 < time }) ?? true
            else { continue }
            late[summary.id, default: [:]][credentialID] = time
        }
        try write(late, open)
        try open.keep(PendingUses())
    }

    private func write(_ uses: [ItemID: [CredentialID: Int64]], _ open: OpenVault) throws(VaultError) {
        try translated {
            try open.write { transaction in
                for (item, times) in uses {
                    try transaction.update(item, change: .used) { item in
                        for index in item.passkeys.indices {
                            guard let time = times[item.passkeys[index].credentialID] else { continue }
                            item.passkeys[index].lastUsedAt = time
                        }
                    }
                }
            }
        }
    }
}

extension OpenVault {
    /// Keeps the uses that wait, on the disk first.
    func keep(_ uses: PendingUses) throws(VaultError) {
        try records.keep(uses.encoded, PendingUses.record)
        self.uses = uses
    }
}
