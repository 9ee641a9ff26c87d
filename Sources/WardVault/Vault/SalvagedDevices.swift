internal import WardLog

/// The devices of a damaged log, as far as its entries show them.
///
/// A device is believed if the vault's first key, a believed device or a recovery key admitted it. `LogGraph` asks for more, and cannot
/// go on where an entry is missing. What it would not count is noticed here as far as the entries that are left show it.
struct SalvagedDevices {
    /// The removal of devices.
    private struct DeviceRemoval {
        let device: DeviceID
        let sequence: UInt64
        let removed: [DeviceID]
    }

    private let vault: VaultID
    private let keys: VaultKeys
    private var nonce: [UInt8] = []
    private var publicKeys: [DeviceID: [UInt8]] = [:]
    private var ownerKeys: Set<[UInt8]> = []
    private var recoveryKeys: Set<[UInt8]> = []
    private var removals: [DeviceRemoval] = []
    /// The hashes of the entries of each device, by their numbers.
    private var hashes: [DeviceID: [UInt64: [UInt8]]] = [:]
    /// What the entries of each device name, with their numbers.
    private var named: [DeviceID: [(sequence: UInt64, seen: [LogEntry.Seen])]] = [:]
    /// The last number that counts of devices that broke a rule of the log.
    private var last: [DeviceID: UInt64] = [:]

    init(_ vault: VaultID, _ keys: VaultKeys) { (self.vault, self.keys) = (vault, keys) }

    /// Takes the next entry of the file.
    ///
    /// - Returns: Whether a believed device signed it.
    mutating func take(_ signed: SignedEntry) -> Bool {
        let entry = signed.entry
        var isGenesis = false
        switch entry.operation {
        case .genesis(let publicKey, let certificate, let nonce, _):
            (self.nonce, isGenesis) = (nonce, true)
            admit(publicKey, certificate)
        case .enrol(let publicKey, let certificate): admit(publicKey, certificate)
        case .circle(.joinRecovered):
            guard let joining = RecoveredDevice(signed), recoveryKeys.contains(joining.recoveryKey),
                joining.isSigned(vault: vault)
            else { return false }
            publicKeys[joining.device.id] = joining.device.publicKey
        case .circle, .revision, .purge, .header, .content, .ignorable, .unknown: break
        }
        guard let key = publicKeys[entry.device], signed.isSigned(by: key, vault: isGenesis ? nil : vault) else {
            return false
        }
        note(signed)
        return true
    }

    /// The last number that counts of each device whose entries do not all count.
    ///
    /// The entries of a removed device count as far as each of its removals knows them.
    func lastThatCount() -> [DeviceID: UInt64] {
        var last = last
        for removal in removals {
            let known = known(to: removal)
            for device in removal.removed { last[device] = min(last[device] ?? .max, known[device] ?? 0) }
        }
        return last
    }

    private mutating func admit(_ publicKey: [UInt8], _ certificate: [UInt8]) {
        let message = LogEntry.certificateMessage(device: publicKey, nonce: nonce)
        guard let authority = try? keys.authority(nonce: nonce),
            SignatureScheme.inForce.isValid(certificate, message, authority.publicKey)
        else { return }
        publicKeys[DeviceID(publicKey: publicKey)] = publicKey
    }

    private mutating func note(_ signed: SignedEntry) {
        let entry = signed.entry
        let (device, sequence) = (entry.device, entry.sequence)
        let isTwin = hashes[device]?[sequence].map { $0 != signed.hash } ?? false
        hashes[device, default: [:]][sequence] = signed.hash
        if !entry.seen.isEmpty { named[device, default: []].append((sequence, entry.seen)) }
        var isUnknown = false
        switch entry.operation {
        case .circle(let record): note(record, signed)
        case .unknown: isUnknown = true
        case .genesis, .enrol, .revision, .purge, .header, .content, .ignorable: break
        }
        if isTwin || isUnknown { last[device] = min(last[device] ?? .max, max(1, sequence) - 1) }
    }

    private mutating func note(_ record: CircleRecord, _ signed: SignedEntry) {
        switch record {
        case .begin(let members, let recovery, let made):
            for member in members { publicKeys[member.id] = member.publicKey }
            recoveryKeys.formUnion(recovery.map(\.publicKey))
            // Only one entry begins the circle.
            if ownerKeys.isEmpty { ownerKeys.insert(made.owner) }
        case .admit(let device, _): publicKeys[device.id] = device.publicKey
        case .remove(let devices, let made):
            guard isApproved(signed) else { return }
            ownerKeys.insert(made.owner)
            removals.append(
                DeviceRemoval(device: signed.entry.device, sequence: signed.entry.sequence, removed: devices)
            )
        case .rekey(let made):
            if isApproved(signed) { ownerKeys.insert(made.owner) }
        case .recovery(let recovery, let made):
            guard isApproved(signed) else { return }
            ownerKeys.insert(made.owner)
            recoveryKeys.formUnion(recovery.map(\.publicKey))
        case .joinAdmitted, .joinRecovered, .rules, .place: break
        }
    }

    /// Whether the owner signed an operation: a stolen device removes nobody alone.
    private func isApproved(_ signed: SignedEntry) -> Bool {
        guard let content = try? LogEntry.approvedContent(signed.payload) else { return false }
        let isValid = SignatureScheme.inForce.isValid
        let message = LogEntry.ownerMessage(content, vault: vault)
        let isOwners = signed.entry.approvals.contains { approval in
            ownerKeys.contains(approval.publicKey) && isValid(approval.signature, message, approval.publicKey)
        }
        guard !isOwners, let approval = signed.entry.recoveryApproval else { return isOwners }
        return recoveryKeys.contains(approval.publicKey)
            && isValid(approval.signature, LogEntry.recoveryMessage(content, vault: vault), approval.publicKey)
    }

    /// The last number of each device that a removal knows.
    private func known(to removal: DeviceRemoval) -> [DeviceID: UInt64] {
        var known: [DeviceID: UInt64] = [:]
        var open = [(removal.device, removal.sequence)]
        while let (device, sequence) = open.popLast() {
            let before = known[device] ?? 0
            guard sequence > before else { continue }
            known[device] = sequence
            for entry in named[device] ?? [] where entry.sequence > before && entry.sequence <= sequence {
                open += entry.seen.map { ($0.device, $0.sequence) }
            }
        }
        return known
    }
}
