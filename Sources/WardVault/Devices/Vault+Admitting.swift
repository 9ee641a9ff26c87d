package import WardLog
internal import WardWebAuthn

/// A new device joins a circle: a member admits it, and it creates its copy of the vault.
extension Vault {
    /// Admits a device to the circle.
    ///
    /// The caller has shown the words of the request, and a person has compared them with those on the new device. If the device was
    /// admitted before, no entry is written.
    ///
    /// - Parameters:
    ///   - request: The request of the device.
    ///   - passphrase: The vault's passphrase, also while the vault is unlocked.
    /// - Returns: The bytes of the reply.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `noCircle`, `notInCircle`, `conflict` if the device was removed or the circle has
    ///   a question, `locked`, `diskFull` or `unavailable`.
    package func admit(_ request: PairingRequest, _ passphrase: Passphrase) async throws(VaultError) -> [UInt8] {
        var act = try await ownerAct(passphrase)
        try requireClean(act.state)
        if try act.open.keys.names != header.open(act.unlock).names {
            // Two devices made keys at the same time. The new device opens the header in force, so it must have all of them.
            try changeCircleHeader(act.draft, act.open, act.owners, to: passphrase, act.secretKey)
            act = try await ownerAct(passphrase)
        }
        guard let root = act.draft.graph.circleRoot else { throw VaultError.withoutCircle }
        let history = try CircleHistory(act.draft.graph, database)
        if history.device(request.device.id) == request.device {
            // The reply has the Secret Key of today.
            guard act.state.mayWrite(request.device.id) else {
                throw VaultError(
                    .conflict,
                    "This device was removed, and comes back only with new keys. On it: ward join PLACE --abandon, then ward join PLACE"
                )
            }
        } else {
            let name = try DeviceName.seal(request.name, of: request.device.id, id, act.open.keys, environment)
            var draft = act.draft
            try draft.add(
                .circle(.admit(request.device, name: name)),
                by: act.open.device,
                owners: act.owners
            )
            try act.open.commit(draft, header: nil)
        }
        // Of a device that signed two entries with one number, one end is enough. Of devices beside the circle, of which there can be any
        // number, only what the others name is wanted.
        let state = act.state
        let inCircle = act.open.chain.devices.filter { state.mayWrite($0.key) || state.removed[$0.key] != nil }
        let heads = inCircle.compactMap { id, device in
            device.leaves.last.map { LogEntry.Seen(device: id, sequence: $0.sequence, hash: $0.hash) }
        }
        let reply = PairingReply(
            vault: id,
            root: root,
            secretKey: act.secretKey,
            headerHash: VaultHeader.hash(encodedHeader),
            heads: heads
        )
        return try reply.sealed(for: request, with: act.unlock)
    }

    /// Creates the vault on a new device, and leaves it unlocked.
    ///
    /// The reply says which entry begins the circle, and the passphrase proves the reply. Only the entries that the member knew are
    /// taken; everything newer comes with the first exchange.
    ///
    /// - Parameters:
    ///   - pending: The keys of the new device.
    ///   - reply: The reply of a member.
    ///   - passphrase: The vault's passphrase.
    ///   - records: All entries that there are.
    ///   - location: A place without a vault.
    ///   - environment: Time and randomness.
    /// - Returns: The vault.
    /// - Throws: ``VaultError`` with `vaultIncomplete` while entries are missing, `wrongPassphrase`, `notInCircle`, `vaultExists`,
    ///   `damaged`, `diskFull` or `unavailable`; there is then no vault.
    @concurrent package static func join(
        _ pending: PendingDevice,
        _ reply: PairingReply,
        _ passphrase: Passphrase,
        records: [LogRecord],
        at location: VaultLocation,
        environment: VaultEnvironment
    ) async throws(VaultError) -> Vault {
        let arrival = try arrival(of: reply, records, now: environment.effects.now())
        let lock = try await lockForNewVault(at: location)
        defer { withExtendedLifetime(lock) {} }
        let (encodedHeader, keys) = try opened(reply, pending.request, passphrase, arrival, environment)
        let history = arrival.records.last { record in
            if case .circle(.admit(pending.request.device, _)) = record.entry.entry.operation {
                arrival.graph.stands(record.entry.hash)
            } else {
                false
            }
        }
        guard let admission = history?.entry.hash else {
            throw VaultError(
                .notInCircle,
                "This device was not admitted. On a device that has the vault: ward devices add"
            )
        }
        let device = DeviceFile(pending.key, pending.keys)
        var draft = CircleDraft(arrival.graph, reply.vault, now: environment.effects.now())
        try draft.add(.circle(.joinAdmitted(admission)), by: device)
        // The database is put in place last. So if there is a database, all other files exist.
        try SecretKeyFile.setAside(location.secretKey)
        try SecretKeyFile.write(reply.secretKey, to: location.secretKey, environment)
        // An earlier device of this vault may have left something here.
        let left = DeviceRecords(location, reply.vault, keys, environment)
        for name in [VaultLocation.awaited, VaultLocation.syncServer] { try left.keep(nil, name) }
        try device.write(location.device, reply.vault, keys, environment)
        _ = try HeadFile(
            creating: location.head,
            reply.vault,
            device.device,
            keys,
            head: HeadFile.Head(position: draft.chain.position, hash: draft.chain.hash),
            circle: reply.root,
            environment
        )
        try SmallFile.replace(location.headerCopy, with: encodedHeader, environment)
        let rows = arrival.rows(after: 0, keepingHeaders: true) + draft.rows
        try place(rows, encodedHeader, at: location, environment).close()
        let vault = try openWhileLocked(at: location, environment: environment)
        do throws(VaultError) {
            try await vault.unlock(with: keys, checked: draft.graph)
        } catch {
            try? await vault.close()
            throw error
        }
        return vault
    }

    /// The entries that the member knew when it replied.
    private static func arrival(
        of reply: PairingReply,
        _ records: [LogRecord],
        now: Int64
    ) throws(VaultError) -> Arrival {
        let empty = LogGraph(reply.vault, circle: reply.root)
        let everything = Arrival(records.filter(\.isBlobRight), after: empty)
        guard let known = known(by: reply, everything) else { throw incomplete }
        // Mostly nothing is newer. Then every signature was checked, and nothing is checked twice.
        let arrival = known.count == everything.records.count ? everything : Arrival(known, after: empty)
        guard arrival.records.count == known.count, arrival.withheld(now: now).isEmpty else { throw incomplete }
        return arrival
    }

    /// The entries that the member knew; `nil` if some are missing.
    private static func known(by reply: PairingReply, _ everything: Arrival) -> [LogRecord]? {
        let heads = reply.heads.map(\.hash)
        guard heads.allSatisfy({ everything.graph.contains($0) }) else { return nil }
        return everything.records.filter { record in
            heads.contains { $0 == record.entry.hash || everything.graph.isPast(record.entry.hash, of: $0) }
        }
    }

    /// Those of all entries that there are whose data a device must have that joins with a reply.
    ///
    /// - Parameters:
    ///   - records: The entries, without data.
    ///   - reply: The reply of a member.
    ///   - now: The time, in seconds since 1970.
    /// - Returns: The hashes of the entries; none if entries are missing that the member knew.
    package static func needingData(
        _ records: [LogRecord],
        toJoinWith reply: PairingReply,
        now: Int64
    ) -> Set<[UInt8]> {
        let empty = LogGraph(reply.vault, circle: reply.root)
        let everything = Arrival(records, after: empty)
        guard let known = known(by: reply, everything) else { return [] }
        let arrival = known.count == everything.records.count ? everything : Arrival(known, after: empty)
        let headers = known.filter { $0.isHeader && $0.blobHash == reply.headerHash }.map(\.entry.hash)
        return Set(arrival.withheld(now: now)).union(headers)
    }

    /// The header in force and the vault's keys, after the passphrase has proven the reply.
    private static func opened(
        _ reply: PairingReply,
        _ request: PairingRequest,
        _ passphrase: Passphrase,
        _ arrival: Arrival,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> (encodedHeader: [UInt8], keys: VaultKeys) {
        let found = arrival.records.first { $0.isHeader && $0.blobHash == reply.headerHash }
        guard let encoded = found?.blob else { throw incomplete }
        let header = try VaultHeader(encoded: encoded)
        guard header.vaultID == reply.vault else {
            throw VaultError(.damaged, "The reply names a header of another vault")
        }
        try header.derivation.check()
        let stretched = try environment.stretch(passphrase, header.derivation)
        let unlock = try header.unlockKeys(stretched, reply.secretKey)
        try reply.check(with: unlock, for: request)
        let entry = arrival.graph.circleState?.header?.entry
        guard arrival.graph.header?.hash == reply.headerHash,
            let operation = arrival.records.first(where: { $0.entry.hash == entry })?.entry.entry.operation,
            header.agrees(with: operation)
        else { throw VaultError(.damaged, "The reply names a header that is not in force") }
        let keys = try header.open(unlock)
        try header.check(keys, encoded: encoded)
        return (encoded, keys)
    }

    private static var incomplete: VaultError {
        VaultError(
            .vaultIncomplete,
            "Not everything has arrived in the folder yet. Wait until it is copied, then try again"
        )
    }
}
