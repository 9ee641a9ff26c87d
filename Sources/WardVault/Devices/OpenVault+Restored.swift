internal import WardLog

/// A vault file of a circle that was restored from a copy.
extension OpenVault {
    /// A device that the circle does not know, for a vault file of which this device has no record.
    ///
    /// It can read the vault. To write, it must be admitted.
    static func stranger(
        _ chain: LogChain,
        _ circle: [UInt8],
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> Identity {
        let device = try newcomer(environment)
        try SmallFile.makeDirectory(location.stateDirectory)
        try device.write(location.device, vaultID, keys, environment)
        try DeviceRecords(location, vaultID, keys, environment).keep(nil, VaultLocation.syncServer)
        let head = try head(of: device, chain, circle, vaultID, keys, location, environment)
        return Identity(device: device, head: head)
    }

    /// The keys of a new device, which are not written yet.
    static func newcomer(_ environment: VaultEnvironment) throws(VaultError) -> DeviceFile {
        var device = try DeviceFile(environment)
        device.circleKeys = try DeviceKeys(environment)
        return device
    }

    /// Goes on as another device, which has just written its first entries.
    func become(_ device: DeviceFile) throws(VaultError) {
        guard let circle = head.circle else { throw VaultError.withoutCircle }
        let head = try Self.head(of: device, chain, circle, vaultID, keys, location, environment)
        become(Identity(device: device, head: head))
        rememberHead()
        // What it waits for is of the earlier device. A person can end the waiting too.
        try? wait(for: nil)
    }

    /// Whether a recovery key made this device the one of the pending file, and the power failed after the entries were written and
    /// before the rest.
    static func isRecovered(_ newcomer: DeviceFile, from known: DeviceFile, _ chain: LogChain) -> Bool {
        newcomer.device != known.device && chain.devices[newcomer.device] != nil
            && chain.circle?.members.contains(newcomer.device) ?? false
    }

    /// Finishes what the power cut interrupted: nobody else has the keys of the new device, which is a member.
    static func recovered(
        _ newcomer: DeviceFile,
        _ chain: LogChain,
        _ circle: [UInt8],
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> Identity {
        // What is waited for is of the earlier device. After a power cut before the head is written, this is done once more.
        try DeviceRecords(location, vaultID, keys, environment).keep(nil, VaultLocation.awaited)
        let head = try head(of: newcomer, chain, circle, vaultID, keys, location, environment)
        return Identity(device: newcomer, head: head)
    }

    /// The device that this one was, with a vault file that is older than what it had seen.
    ///
    /// It must not write before it has that again: it would sign other entries with numbers that it has used.
    static func restored(
        _ known: Identity,
        _ chain: LogChain,
        _ circle: [UInt8],
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> Identity {
        let records = DeviceRecords(location, vaultID, keys, environment)
        if try records.read(VaultLocation.awaited) == nil {
            // What others wrote can arrive before what this device wrote.
            let own = known.head.own.flatMap { $0 == chain.leaf(of: known.device.device)?.hash ? nil : $0 }
            try records.keep(own ?? known.head.head.hash, VaultLocation.awaited)
        }
        try records.keep(nil, VaultLocation.syncServer)
        let head = try head(of: known.device, chain, circle, vaultID, keys, location, environment)
        return Identity(device: known.device, head: head)
    }

    private static func head(
        of device: DeviceFile,
        _ chain: LogChain,
        _ circle: [UInt8],
        _ vaultID: VaultID,
        _ keys: VaultKeys,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> HeadFile {
        try HeadFile(
            creating: location.head,
            vaultID,
            device.device,
            keys,
            head: HeadFile.Head(position: chain.position, hash: chain.hash),
            circle: circle,
            environment
        )
    }
}

extension Vault {
    /// Lets this device write although its vault was restored from an older copy: what it had before is lost.
    ///
    /// If another device has entries of this one that are newer than the copy, this device stops at the next sync, and must be paired
    /// again.
    ///
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `locked` or `unavailable`.
    package func acceptRestored(_ passphrase: Passphrase) async throws(VaultError) {
        try await verify(passphrase)
        try open().wait(for: nil)
    }
}
