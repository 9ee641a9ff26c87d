internal import Crypto
internal import Foundation
internal import WardLog
internal import WardWebAuthn

extension OpenVault {
    /// What opens a vault.
    struct Opening {
        var keys: VaultKeys
        /// What else the passphrase opens: the owner keys of a circle.
        ///
        /// It is `nil` if the vault is opened without the passphrase.
        var unlock: VaultHeader.UnlockKeys?
    }

    /// Opens a vault with its keys: compares the file with this device's own data, and reads the entries that the index does
    /// not have.
    ///
    /// The log is not read again if `graph` is all of it, as this process has checked and written it.
    ///
    /// - Throws: ``VaultError`` with `unknownDevice`, `rolledBack`, `damaged` or `unknownVersion`.
    static func open(
        _ database: VaultDatabase,
        _ header: VaultHeader,
        encodedHeader: [UInt8],
        _ opening: Opening,
        trust: Vault.Trust,
        checked graph: LogGraph? = nil,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> OpenVault {
        let vaultID = header.vaultID
        var keys = opening.keys
        try header.check(keys, encoded: encodedHeader)
        let found = try findIdentity(vaultID, keys, location)
        let known = found?.identity
        let isCurrent = try known.map { (known) throws(VaultError) in try holds(known.head.head, database) } ?? false
        if trust == .known {
            guard known != nil else {
                throw VaultError(
                    .unknownDevice,
                    "this device has no record of the vault, so the age of the file cannot be checked"
                )
            }
            guard isCurrent else {
                throw VaultError(
                    .rolledBack,
                    "the file is older than the one that this device saw last, or is another file"
                )
            }
        }
        let identity = isCurrent ? known : nil
        let circle: [UInt8]?
        if let identity { circle = identity.head.circle } else { circle = try database.circle(header) }
        guard header.belongs(to: circle) else {
            throw VaultError(.damaged, "The header names another circle of devices than this device knows")
        }
        let reader = LogReader(
            database: database,
            vault: vaultID,
            keys: keys,
            trusted: identity.map { ($0.device.device, $0.head.head) },
            circle: circle
        )
        let base = identity == nil ? nil : try reader.usable(IndexFile.read(location.index, vaultID, keys))
        var log = try reader.read(from: base?.chain, checked: graph)
        let pending = try pendingDevice(of: header, vaultID, keys, location)
        let newcomer = identity.flatMap { identity in
            pending.flatMap { isRecovered($0, from: identity.device, log.chain) ? $0 : nil }
        }
        let device = newcomer ?? known?.device
        keys = try keys.completed(log.chain.circle, device, vaultID, database.record(at:))
        try check(header, encoded: encodedHeader, log.chain, device?.device, keys, database)

        let writer: Identity
        if let newcomer, let circle {
            writer = try recovered(newcomer, log.chain, circle, vaultID, keys, location, environment)
        } else if let identity {
            writer = identity
        } else if let circle = reader.circle {
            let own = known.flatMap { log.chain.devices[$0.device.device] == nil ? nil : $0 }
            writer =
                if let own { try restored(own, log.chain, circle, vaultID, keys, location, environment) } else {
                    try stranger(log.chain, circle, vaultID, keys.choosing(header.keyName), location, environment)
                }
        } else {
            writer = try enrol(&log.chain, database, vaultID, keys, location, environment)
        }
        let vault = try OpenVault(
            database,
            vaultID: vaultID,
            keys: keys,
            identity: writer,
            chain: log.chain,
            base: base,
            location,
            environment
        )
        vault.removals = log.isWhole ? [] : base?.removals ?? []
        vault.contents = log.isWhole ? [:] : base?.contents ?? [:]
        if log.isWhole, graph?.count == Int(log.chain.position) { vault.wholeLog = graph }
        try vault.load(log)
        if vault.head.head.position < vault.chain.position { vault.rememberHead() }
        if identity == nil { vault.saveIndex(always: true) }
        let own = writer.device.device
        let isFound = found?.path == location.pendingDevice && known?.device.device == own
        settlePendingDevice(isOwn: isFound || pending?.device == own, location)
        return vault
    }

    /// This device's pending file, if the key of the header in place encrypts it.
    private static func pendingDevice(
        of header: VaultHeader,
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation
    ) throws(VaultError) -> DeviceFile? {
        let key = try keys.choosing(header.keyName).firstAndCurrent()
        // A pending file of a later version is for no header that this one can open.
        return try? DeviceFile(location.pendingDevice, vaultID, key)
    }

    /// Leaves this device one file with its keys, where a power cut left two.
    ///
    /// This program alone has the vault's file now, so no change is under way. A pending file for the header in place takes the place of
    /// the earlier one, which a removed device could open with an earlier key; any other is for a header that did not come, and whoever
    /// writes that header again writes the file again before.
    private static func settlePendingDevice(isOwn: Bool, _ location: VaultLocation) {
        guard FileManager.default.fileExists(atPath: location.pendingDevice) else { return }
        // If this fails, the next unlocking tries again.
        if isOwn {
            try? SmallFile.move(location.pendingDevice, to: location.device)
        } else {
            try? SmallFile.remove(location.pendingDevice)
        }
    }

    /// This device's data about the vault.
    ///
    /// It is `nil` if the device does not know the vault, or if a part of the data is lost.
    static func identity(
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation
    ) throws(VaultError) -> Identity? { try findIdentity(vaultID, keys, location)?.identity }

    private static func findIdentity(
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation
    ) throws(VaultError) -> (identity: Identity, path: String)? {
        // If a power cut interrupted a change of the keys or of the device, it can be in either of two files.
        for path in [location.device, location.pendingDevice] {
            guard let device = try DeviceFile(path, vaultID, keys),
                let head = try HeadFile(location.head, vaultID, device.device, keys)
            else { continue }
            return (Identity(device: device, head: head), path)
        }
        return nil
    }

    /// Whether the file contains the last entry that this device saw.
    static func holds(_ head: HeadFile.Head, _ database: VaultDatabase) throws(VaultError) -> Bool {
        guard let row = try database.row(at: head.position) else { return false }
        return Array(SHA256.hash(data: row.entry)) == head.hash
    }

    /// Whether the header is the one that the log refers to.
    ///
    /// A device that is outside the circle, or that lacks its vault key, keeps an earlier header that it can open.
    static func check(
        _ header: VaultHeader,
        encoded: [UInt8],
        _ chain: LogChain,
        _ device: DeviceID?,
        _ keys: VaultKeys?,
        _ database: VaultDatabase
    ) throws(VaultError) {
        let hash = Array(SHA256.hash(data: encoded))
        guard hash != chain.headerHash else { return }
        if let circle = chain.circle {
            let isMember = device.map { circle.mayWrite($0) } ?? false
            let hasKey = keys.map { $0.has(circle) } ?? true
            if !isMember || !hasKey, try database.names(header: hash) { return }
        }
        if header.generation < chain.headerGeneration {
            throw VaultError(.rolledBack, "The header is older than the log. An old passphrase could open the vault")
        }
        throw VaultError(.damaged, "The log refers to another header than the one in the file")
    }

    /// Prepares this device for writing.
    ///
    /// It gets a key of its own, so that two entries never have the same position in a chain.
    private static func enrol(
        _ chain: inout LogChain,
        _ database: VaultDatabase,
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> Identity {
        let device = try DeviceFile(environment)
        let message = LogEntry.certificateMessage(device: device.key.publicKey, nonce: chain.nonce)
        let certificate = try keys.authority(nonce: chain.nonce).sign(message)
        let entry = try chain.next(
            .enrol(device: device.key.publicKey, certificate: certificate),
            device.device,
            now: environment.effects.now()
        )
        let signed = try entry.signed(vault: vaultID, by: device.key.sign)
        let position = chain.position + 1
        var next = chain
        try next.advance(by: signed, to: position)
        try SmallFile.makeDirectory(location.stateDirectory)
        try database.append([VaultDatabase.Row(position: position, previous: 0, entry: signed.encoded, blob: nil)])
        chain = next
        try device.write(location.device, vaultID, keys, environment)
        let head = try HeadFile(
            creating: location.head,
            vaultID,
            device.device,
            keys,
            head: HeadFile.Head(position: position, hash: signed.hash),
            environment
        )
        return Identity(device: device, head: head)
    }

    /// Updates the index to the state of the log.
    private func load(_ log: LogReader.Result) throws(VaultError) {
        removals += log.removals
        contents.merge(log.contents) { _, new in new }
        if log.isWhole { for id in index.ids() where log.heads[id] == nil { index.remove(id) } }
        // After the whole log was read, most items are still the same as in the index. What several revisions merge to can be another,
        // because of what is between them.
        let changed = log.heads.filter { $0.value.count != 1 || index.heads($0.key) != $0.value }
        try show(changed.map { ($0.key, $0.value) })
    }
}
