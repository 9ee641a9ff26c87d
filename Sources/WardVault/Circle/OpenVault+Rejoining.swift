internal import WardLog

/// A device that begins anew in a circle: its vault was restored from a copy, or its disk was copied.
extension OpenVault {
    /// A device that the circle does not know, for a vault file that this device has no record of.
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
        var device = try DeviceFile(environment)
        device.circleKeys = try DeviceKeys(environment)
        try SmallFile.makeDirectory(location.stateDirectory)
        try device.write(location.device, vaultID, keys, environment)
        let head = try HeadFile(
            creating: location.head,
            vaultID,
            device.device,
            keys,
            head: HeadFile.Head(position: chain.position, hash: chain.hash),
            circle: circle,
            environment
        )
        return Identity(device: device, head: head)
    }

    /// Writes this device's files again.
    fileprivate func keepIdentity() throws(VaultError) {
        try keepDevice()
        become(
            Identity(
                device: device,
                head: try HeadFile(
                    creating: location.head,
                    vaultID,
                    device.device,
                    keys,
                    head: head.head,
                    circle: head.circle,
                    environment
                )
            )
        )
    }

    /// Admits this device, which is new, in the name of the device that it was before.
    ///
    /// The earlier device may have written other entries elsewhere. Its operation counts all the same, because the owner signed it.
    ///
    /// - Parameters:
    ///   - old: The device before, with its keys.
    ///   - owners: The owner keys in force.
    /// - Throws: ``VaultError`` with `conflict` if the earlier device is not in the circle, or with `diskFull` or `unavailable`.
    func rejoin(from old: DeviceFile, _ owners: [OwnerKey]) throws(VaultError) {
        let name = try name(of: old.device) ?? "device"
        let sealed = try DeviceName.seal(name, of: device.device, vaultID, keys, environment)
        var draft = try circleDraft()
        let admission = try draft.add(
            .circle(.admit(device.circleDevice(), name: sealed)),
            by: old,
            owners: owners
        )
        try draft.add(.circle(.joinAdmitted(admission.hash)), by: device)
        try commit(draft, header: nil)
    }

    /// Admits this device as the one that it was before, if the passphrase opens all owner keys.
    ///
    /// If it does not, the device stays outside the circle.
    func rejoin(
        from old: DeviceFile,
        _ header: VaultHeader,
        _ unlock: VaultHeader.UnlockKeys
    ) throws(VaultError) {
        guard chain.circle?.mayWrite(old.device) ?? false, let state = try graph().circleState else { return }
        do throws(VaultError) {
            try rejoin(from: old, ownerKeys(state, opened: header.owners(unlock), nil, nil))
        } catch {
            guard error.code == .conflict else { throw error }
        }
    }
}

extension Vault {
    /// Begins anew in the circle with a new device key.
    ///
    /// It is for a device that finds entries of its own that it does not have: its vault was restored from a copy, or its disk was
    /// copied. What it wrote since stays in its vault.
    ///
    /// - Throws: ``VaultError`` with `wrongPassphrase`, `noCircle`, `notInCircle`, `locked`, `diskFull` or `unavailable`.
    package func beginAnew(_ passphrase: Passphrase) async throws(VaultError) {
        let act = try await ownerAct(passphrase)
        guard let circle = act.draft.graph.circleRoot else { throw VaultError.withoutCircle }
        let old = OpenVault.Identity(device: act.open.device, head: act.open.head)
        let new = try OpenVault.stranger(act.open.chain, circle, id, act.open.keys, location, environment)
        act.open.become(new)
        do throws(VaultError) {
            try act.open.rejoin(from: old.device, act.owners)
        } catch {
            act.open.become(old)
            try? act.open.keepIdentity()
            throw error
        }
    }
}
