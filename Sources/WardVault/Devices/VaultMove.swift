internal import Crypto
internal import WardCBOR
package import WardLog

/// The vault moved to another sync server: what the owner signed, and every device reads.
///
/// The address is sealed, so the servers do not see it. `Documentation/formats/sync.md`, "A move".
package struct VaultMove: Hashable, Sendable {
    /// The hash of the entry.
    package var entry: [UInt8]
    /// The device that wrote it.
    package var device: DeviceID
    /// The address of the server; text of another device.
    package var address: String
    /// The address of the server before, if there was one.
    package var earlier: String?
    /// Whether this device itself wrote it.
    package var isOwnAct = false

    package init(entry: [UInt8], device: DeviceID, address: String, earlier: String?) {
        self.entry = entry
        self.device = device
        self.address = address
        self.earlier = earlier
    }

    /// The length of an address in UTF-8, in bytes, at most.
    package static let maximumLength = 384

    /// Seals addresses with the current vault key.
    static func seal(
        _ address: String,
        from earlier: String?,
        _ vault: VaultID,
        _ keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        guard address.utf8.count <= maximumLength else {
            throw VaultError(.unavailable, "The address of the server is too long: at most \(maximumLength) bytes")
        }
        var fields = CBORFields()
        fields.put(1, .text(address))
        fields.put(2, earlier.flatMap { $0.utf8.count <= maximumLength ? .text($0) : nil })
        return try Sealing.seal(
            fields.encoded,
            key: key(keys.key(keys.current), vault),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated(vault)
        )
    }

    /// Opens the addresses of an entry; `nil` if no vault key opens them.
    init?(_ sealed: [UInt8], in entry: SignedEntry, _ vault: VaultID, _ keys: VaultKeys) {
        let rules = CBORRules(maximumDepth: 1, maximumItems: 16, maximumLength: CircleRecord.placeLimit)
        for name in keys.names.reversed() {
            guard let vaultKey = try? keys.key(name),
                let opened = Sealing.open(sealed, key: Self.key(vaultKey, vault), associated: Self.associated(vault))
            else { continue }
            guard let value = try? CBORValue.decode(Array(opened), rules: rules), let address = value[1]?.textValue
            else {
                return nil
            }
            self.init(
                entry: entry.hash,
                device: entry.entry.device,
                address: address,
                earlier: value[2]?.textValue
            )
            return
        }
        return nil
    }

    private static func key(_ vaultKey: SymmetricKey, _ vault: VaultID) -> SymmetricKey {
        vaultKey.derive("ward/v1/place", salt: vault.bytes, context: [])
    }

    private static func associated(_ vault: VaultID) -> [UInt8] {
        CBORValue.array(["ward", 1, "place", .bytes(vault.bytes)]).encoded()
    }
}

extension Vault {
    /// Says to all devices that the vault is at another sync server now.
    ///
    /// - Parameters:
    ///   - address: The address of the server.
    ///   - earlier: The address of the server before, if there was one.
    ///   - passphrase: The vault's passphrase, also while the vault is unlocked.
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `noCircle`, `notInCircle`, `conflict` if the circle has a question, `locked`,
    ///   `diskFull` or `unavailable`.
    package func move(to address: String, from earlier: String?, _ passphrase: Passphrase) async throws(VaultError) {
        let act = try await ownerAct(passphrase)
        try requireClean(act.state)
        let sealed = try VaultMove.seal(address, from: earlier, id, act.open.keys, environment)
        var draft = act.draft
        try draft.add(.circle(.place(sealed)), by: act.open.device, owners: act.owners)
        try act.open.commit(draft, header: nil)
    }
}

extension OpenVault {
    /// The newest moves that count and can be read, in the order of their entries.
    ///
    /// There are several if devices moved the vault at the same time.
    func moves(_ state: CircleState, _ history: CircleHistory) -> [VaultMove] {
        state.places.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { hash in
            guard let signed = history.entry(hash), case .circle(.place(let sealed)) = signed.entry.operation else {
                return nil
            }
            guard var move = VaultMove(sealed, in: signed, vaultID, keys) else { return nil }
            move.isOwnAct = move.device == device.device
            return move
        }
    }
}
