internal import Crypto
internal import Foundation
internal import WardLog
public import WardWebAuthn

extension Vault {
    /// Creates a vault and leaves it unlocked.
    ///
    /// It returns the recovery key, which is shown only once.
    ///
    /// It takes a tenth of a second, most of it for the passphrase. If the folders do not exist, they are created with access
    /// only for the owner. If there is a Secret Key of another vault, its file is renamed and never overwritten.
    ///
    /// - Parameters:
    ///   - location: A place without a vault.
    ///   - passphrase: What will open it. How strong it is, is for the caller to judge.
    ///   - effects: Time and randomness.
    /// - Returns: The vault, and the key to write down.
    /// - Throws: ``VaultError`` with `vaultExists`, `diskFull` or `unavailable`; there is then no vault.
    public static func create(
        at location: VaultLocation,
        passphrase: Passphrase,
        effects: Effects = .live
    ) async throws(VaultError) -> (vault: Vault, recoveryKey: RecoveryKey) {
        try await create(at: location, passphrase: passphrase, environment: VaultEnvironment(effects: effects))
    }

    @concurrent package static func create(
        at location: VaultLocation,
        passphrase: Passphrase,
        environment: VaultEnvironment
    ) async throws(VaultError) -> (vault: Vault, recoveryKey: RecoveryKey) {
        let lock = try await lockForNewVault(at: location)
        defer { withExtendedLifetime(lock) {} }
        let draft = try Draft(passphrase, environment)
        // The database is put in place last. So if there is a database, all other files exist.
        try SecretKeyFile.setAside(location.secretKey)
        try SecretKeyFile.write(draft.secretKey, to: location.secretKey, environment)
        try draft.device.write(location.device, draft.header.vaultID, draft.keys, environment)
        let head = try HeadFile(
            creating: location.head,
            draft.header.vaultID,
            draft.device.device,
            draft.keys,
            head: HeadFile.Head(position: draft.chain.position, hash: draft.chain.hash),
            environment
        )
        try SmallFile.replace(location.headerCopy, with: draft.encodedHeader, environment)
        let database = try place(draft.rows, draft.encodedHeader, at: location, environment)
        let open = try OpenVault(
            database,
            vaultID: draft.header.vaultID,
            keys: draft.keys,
            identity: OpenVault.Identity(device: draft.device, head: head),
            chain: draft.chain,
            base: nil,
            location,
            environment
        )
        let vault = Vault(
            location,
            database,
            draft.header,
            encodedHeader: draft.encodedHeader,
            unlocked: open,
            environment
        )
        return (vault, draft.recoveryKey)
    }

    /// Makes the folders of a new vault, and locks them until the vault is open.
    ///
    /// If several programs create a vault at the same time, one wins, with all of its files.
    ///
    /// - Throws: ``VaultError`` with `vaultExists`, `diskFull` or `unavailable`.
    @concurrent static func lockForNewVault(at location: VaultLocation) async throws(VaultError) -> PlacementLock {
        func refuseSecond() throws(VaultError) {
            guard !location.hasVault else {
                throw VaultError(.vaultExists, "there is already a vault at \(location.database)")
            }
        }
        try refuseSecond()
        try SmallFile.makeDirectory(location.directory)
        try SmallFile.makeDirectory(location.stateDirectory)
        let lock = try await PlacementLock.exclusive(location)
        try refuseSecond()
        return lock
    }

    /// Builds the database under a temporary name, and moves it to its path when it is complete.
    static func place(
        _ rows: [VaultDatabase.Row],
        _ header: [UInt8],
        at location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> VaultDatabase {
        location.removeDrafts()
        let temporary = location.newDraft()
        let new = try VaultDatabase(creating: temporary, header: header, rows: rows, environment)
        do throws(VaultError) {
            try new.checkpoint()
            try new.close()
            try environment.willWrite(.placeDatabase)
        } catch {
            try? new.close()
            throw error
        }
        try SmallFile.move(temporary, to: location.database)
        return try VaultDatabase(location.database, environment)
    }

    /// All parts of a new vault before they are written to the disk.
    private struct Draft {
        let keys: VaultKeys
        let secretKey: SecretKey
        let recoveryKey: RecoveryKey
        let device: DeviceFile
        let header: VaultHeader
        let encodedHeader: [UInt8]
        var chain = LogChain()
        var rows: [VaultDatabase.Row] = []

        init(_ passphrase: Passphrase, _ environment: VaultEnvironment) throws(VaultError) {
            keys = try VaultKeys(randomBytes: environment.effects.randomBytes)
            secretKey = try SecretKey(effects: environment.effects)
            recoveryKey = try RecoveryKey(effects: environment.effects)
            device = try DeviceFile(environment)
            let nonce = try environment.random(32)
            let authority = try keys.authority(nonce: nonce)
            let message = LogEntry.certificateMessage(device: device.key.publicKey, nonce: nonce)
            let genesis = try chain.next(
                .genesis(
                    device: device.key.publicKey,
                    certificate: try authority.sign(message),
                    nonce: nonce,
                    authority: authority.publicKey
                ),
                device.device,
                now: environment.effects.now()
            )
            let first = try genesis.signed(vault: nil, by: device.key.sign)
            let vaultID = VaultID(genesis: first.payload)
            var header = VaultHeader(vaultID: vaultID)
            try header.seal(keys, to: passphrase, secretKey, environment)
            try header.seal(keys, to: recoveryKey)
            self.header = header
            encodedHeader = try header.encoded(keys)
            try append(first)
            let hash = Array(SHA256.hash(data: encodedHeader))
            let entry = try chain.next(
                .header(generation: header.generation, hash: hash),
                device.device,
                now: environment.effects.now()
            )
            try append(entry.signed(vault: vaultID, by: device.key.sign))
        }

        private mutating func append(_ signed: SignedEntry) throws(VaultError) {
            let position = chain.position + 1
            try chain.advance(by: signed, to: position)
            rows.append(VaultDatabase.Row(position: position, previous: 0, entry: signed.encoded, blob: nil))
        }
    }
}

extension VaultHeader {
    /// A header of generation 1 without encrypted keys.
    init(vaultID: VaultID) {
        self.init(
            vaultID: vaultID,
            generation: 1,
            derivation: KeyDerivation(salt: []),
            secretKeyCheck: [],
            passphraseCommitment: [],
            passphraseEnvelope: [],
            recoveryPublicKey: [],
            recoveryEncapsulation: [],
            recoveryEnvelope: [],
            epoch: 0,
            keyCommitment: []
        )
    }
}
