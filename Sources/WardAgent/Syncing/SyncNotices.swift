internal import WardAgentClient
internal import WardSync
internal import WardVault

extension AgentError {
    static let syncIsOff = AgentError(
        .init(rawValue: "sync_off"),
        "Sync is off on this device. Switch it on: ward sync on FOLDER, or with a server: ward sync on ADDRESS"
    )
    static let hasNoFolder = AgentError(
        .init(rawValue: "no_folder"),
        "Requests of new devices come over a folder, and this device syncs with a server. Add the new device with a code: ward "
            + "devices add"
    )
    static let hasNoCircle = AgentError(
        .init(rawValue: VaultError.Code.noCircle.name),
        "This vault is on this device alone. To share it with another device: ward sync on PLACE"
    )

    /// Why a server did not do its part, in a sentence for what the person wants.
    init(_ error: ServerError, for purpose: ServerPurpose) {
        self.init(Code(rawValue: error.code.name), error.detail(for: purpose))
    }

    /// What a notice says.
    init(_ notice: SyncState.Notice) { self.init(.init(rawValue: notice.code), notice.message) }
}

extension SyncState.Notice {
    /// Why a sync failed.
    init(_ error: any Error) {
        let error = AgentError(reporting: error)
        self.init(code: error.code.rawValue, message: error.message)
    }

    /// The vault's file, or the disk, has a copy that wrote too.
    static let copied = Self(
        code: Need.copied.rawValue,
        message:
            "A copy of this device's vault was changed elsewhere, beside this one. Nothing is synced any more. Put the vault on this "
            + "device anew: move its folder away, then run ward join with the folder or the server. Keep the old folder: changes that were not synced are "
            + "only there. On another device, remove the old device: ward devices remove"
    )

    /// Another place has what a copy of this device's vault wrote.
    static let copiedThere = Self(
        code: Need.copied.rawValue,
        message:
            "That place has changes that a copy of this device's vault made, beside this one. Nothing was taken from there, and this "
            + "device stays with the place that it has. If the vault was restored from an old copy, move its folder away, then run "
            + "ward join. On another device, remove the old device: ward devices remove"
    )

    /// What can need the person.
    enum Need: String, CaseIterable {
        case copied = "device_copied"
        case notInCircle = "not_in_circle"
        case incomplete = "vault_incomplete"
        case frozen = "circle_frozen"
        case keyNotClean = "key_not_clean"
        case recoveryLacksKey = "recovery_key_incomplete"
        case passphraseAgain = "passphrase_again"
        case removalVoid = "removal_void"
        case deviceBrokeRules = "device_broke_rules"
        case deviceLacksKey = "device_lacks_key"
        case clockAhead = "clock_ahead"
        case needsSecretKey = "needs_secret_key"
        case twoOrders = "server_two_orders"
        case serverAlmostFull = "server_almost_full"
        case moved = "vault_moved"
        case entriesWithheld = "entries_withheld"
        case notAdmitted = "device_not_admitted"
    }

    /// What needs the person: the state of the circle, and why syncs fail.
    static func needs(
        _ circle: CircleOverview?,
        _ trouble: SyncSetting.Trouble?,
        _ report: SyncReport?,
        moves: [Syncer.Move] = [],
        lacksEntries: Bool = false
    ) -> [Self] {
        var needs: [Self] = []
        func need(_ need: Need, _ message: String) { needs.append(Self(code: need.rawValue, message: message)) }
        if let trouble { needs.append(Self(code: trouble.code, message: trouble.message)) }
        if let circle {
            if !circle.isMember, trouble?.code != copied.code {
                let late =
                    switch circle.lateRevisions {
                    case ...0: ""
                    case 1:
                        "1 change that no other device had heard of does not count, and is not shown. To see what it says: ward "
                            + "salvage. "
                    case let count:
                        "\(count) changes that no other device had heard of do not count, and are not shown. To see what they say: "
                            + "ward salvage. "
                    }
                need(
                    .notInCircle,
                    "This device was removed: it shows what it has, and cannot change it. \(late)To add it again, move the folder of the "
                        + "vault away, then run ward join with the folder or the server"
                )
            }
            if circle.isIncomplete, trouble?.code != copied.code {
                need(
                    .incomplete,
                    "This copy of the vault is older than what this device had before. It changes nothing until the rest is there "
                        + "again: ward sync now. If the rest is lost: ward sync repair"
                )
            }
            if circle.isFrozen {
                need(
                    .frozen,
                    "Two devices removed each other. Nothing is lost, and nothing is sent until you decide. See which: ward "
                        + "devices. Then remove the wrong one on a third device: ward devices remove DEVICE. Without a third one, "
                        + "begin on the one that stays: ward unlock --recovery-key"
                )
            } else if !circle.isKeyClean, circle.isMember {
                need(
                    .keyNotClean,
                    "A removed device may have the vault's key, so new changes wait on this device. Make a new key: ward devices "
                        + "rekey"
                )
            }
            if circle.recoveryLacksKey, circle.isMember, !circle.isFrozen, circle.isKeyClean {
                need(
                    .recoveryLacksKey,
                    "The recovery key was replaced while another device made a new key for the vault. The recovery key does not open "
                        + "what was written since. Make another key, which it opens: ward devices rekey"
                )
            }
            if circle.needsPassphraseAgain {
                need(
                    .passphraseAgain,
                    "The last change of the passphrase is not in force, because another device changed something at the same "
                        + "time. Make it again: ward passphrase"
                )
            }
            if circle.droppedRemovals > 0 {
                let removals =
                    circle.droppedRemovals == 1
                    ? "1 removal of a device does not count, because the device that made it was removed itself"
                    : "\(circle.droppedRemovals) removals of devices do not count, because the devices that made them were "
                        + "removed themselves"
                need(
                    .removalVoid,
                    "\(removals). Check the devices: ward devices. If the list is right, make a new key: ward devices rekey"
                )
            }
            for device in circle.devices
            where device.hasBrokenRules && device.status != .removed && !device.isThisDevice {
                need(
                    .deviceBrokeRules,
                    "The device \(device.id) wrote what no device of yours should write. What it wrote from then on does not "
                        + "count. If you do not know why, remove it: ward devices remove \(device.id)"
                )
            }
            if circle.devices.contains(where: { $0.lacksKey && $0.status == .member }), circle.isMember {
                need(
                    .deviceLacksKey,
                    "A device lacks the vault's newest key, and shows only what it can read. Make a new key for all devices: ward "
                        + "devices rekey"
                )
            }
        }
        for device in circle?.devices ?? [] where device.status == .member && !device.isThisDevice {
            guard let days = device.clockAhead.map({ $0 / 86_400 }) else { continue }
            let ahead = days == 1 ? "1 day" : "\(days) days"
            need(
                .clockAhead,
                "The clock of the device \(device.id) is \(ahead) or more ahead of the clock of this device. Nothing is lost. Where both "
                    + "devices change the same thing, the value of that device is shown, and the other value is kept as a conflict. Set "
                    + "the clock that is wrong. If it was the clock of that device, remove the device and add it again: ward devices "
                    + "remove \(device.id)"
            )
        }
        if let first = moves.first?.address.text {
            let isOwn = moves.count == 1 && !moves[0].own.isEmpty
            need(.moved, isOwn ? Self.unfinished(first) : Self.notFollowed(moves.count == 1 ? first : nil, moves.count))
        }
        if let proof = report?.twoOrders {
            need(
                .twoOrders,
                "The sync server showed your devices two different orders of changes, so it may hide changes from some of them: "
                    + "\(proof.text). Nothing here is lost. Ask the operator, and sync with another server or a folder until then: "
                    + "ward sync on ADDRESS"
            )
        }
        if lacksEntries {
            need(
                .entriesWithheld,
                "For more than an hour, changes of other devices have not come, or came without their data or changed. Nothing here is "
                    + "lost. What is missing can be the removal of a device. Sync the device that wrote it. If this stays so, the "
                    + "folder or the server keeps it back: use another one. From a server: ward sync move ADDRESS. From a folder, on "
                    + "each device: ward sync on FOLDER"
            )
        }
        if report?.hasStrangers == true {
            need(
                .notAdmitted,
                "Somebody outside the circle wrote changes into the folder. Nothing of them was taken, and nothing here is lost: nobody "
                    + "joins without your passphrase or your recovery key. Find out who can write into the folder. To use another one, "
                    + "on each device: ward sync on FOLDER"
            )
        }
        if let percent = report?.room?.almostFull {
            need(
                .serverAlmostFull,
                "The vault uses \(percent) percent of its room on the sync server. Nothing is lost. When the room is used up, new changes "
                    + "stay on the device that made them. Ask the operator for more room"
            )
        }
        if report?.troubles.contains(where: \.needsSecretKey) == true {
            need(
                .needsSecretKey,
                "Another device replaced the Secret Key. Nothing is lost, and nothing newer is taken until this device has it. Copy "
                    + "the file secret-key from there to this device: ward status --json shows the folder of the vault"
            )
        }
        return needs
    }
}

extension SyncState.Notice {
    /// This device itself moved the vault, and the place before does not have the move yet.
    fileprivate static func unfinished(_ address: String) -> String {
        "This device moved the vault to \(address), and the move is not finished: other devices may not know of it. Nothing is lost. "
            + "To finish it: ward sync move \(address). If the place that this device uses now is gone for good: ward sync move "
            + "\(address) --old-server-gone"
    }

    /// Another device moved the vault; the address is `nil` if it was moved to several servers.
    fileprivate static func notFollowed(_ address: String?, _ count: Int) -> String {
        let (places, place) = (address ?? "\(count) servers at the same time", address ?? "ADDRESS")
        return
            "Another device moved the vault to \(places), and this device did not follow. Nothing is lost, but the devices may not "
            + "hear of each other. To sync there: ward sync on \(place). To stay, run ward sync on with the folder or the address that "
            + "this device uses now"
    }
}

extension ExchangeReport.Trouble {
    var needsSecretKey: Bool { if case .needsSecretKey = self { true } else { false } }

    /// What was not taken; `nil` for what needs the person, which is said elsewhere.
    private var sentence: String? {
        switch self {
        case .refused(_, let reason):
            "An entry breaks a rule and was left out: \(reason). Nothing here is lost. If this stays so, somebody else writes "
                + "into the folder, or the server is at fault: use another one"
        case .otherData:
            "An entry was left out, because its data was changed. Nothing here is lost. Sync the device that wrote it: the device "
                + "writes the entry again"
        case .withheld:
            "An entry waits for its data, which is not there yet. Nothing here is lost. Sync the device that wrote it"
        case .damagedHeader:
            "A change of the passphrase or of the devices was left out, because its header does not fit the vault's keys. Nothing "
                + "here is lost: the passphrase of this device stays. Make the change again on the other device"
        case .lacksHeaderKey:
            "A change of the passphrase or of the devices was left out, because its header was made with a vault key that this "
                + "device was not given. Nothing here is lost: the passphrase of this device stays. Make a key for all devices: ward "
                + "devices rekey"
        case .headerIsMissing:
            "A change of the passphrase or of the devices waits for its data, which is not there yet. Nothing here is lost. "
                + "Sync the device that made the change"
        case .needsSecretKey, .hasOwnEntries, .removedHere: nil
        }
    }

    /// Sentences about troubles, each once, with how often it is true.
    static func sentences(_ troubles: [Self]) -> [String] {
        Dictionary(troubles.compactMap(\.sentence).map { ($0, 1) }, uniquingKeysWith: +)
            .sorted { $0.key < $1.key }.map { $1 == 1 ? $0 : "\($0) (\($1) times)" }
    }

    /// A sentence about entries that were refused and that no other sentence counts; `nil` if there are none.
    static func sentence(moreRefused count: Int) -> String? {
        guard count > 0 else { return nil }
        return
            "\(count) more entries break a rule and were left out. Nothing here is lost. Somebody else writes into the folder, or the "
            + "server is at fault: use another one"
    }
}

extension CircleNews {
    /// A word for the log.
    var word: String {
        switch self {
        case .added: "added"
        case .removed: "removed"
        case .removedHere: "removed here"
        case .frozen: "frozen"
        case .copied: "copied"
        case .brokeRules: "broke rules"
        case .removalVoid: "removal void"
        case .twoOrders: "two orders"
        case .serverAtFault: "server at fault"
        case .notSynced: "not synced"
        case .broughtBack: "brought back"
        case .serverAlmostFull: "server almost full"
        case .moved: "moved"
        case .entriesWithheld: "entries withheld"
        case .notAdmitted: "not admitted"
        case .late: "late"
        }
    }

    var title: PromptSentence {
        switch self {
        case .added: .deviceAddedTitle
        case .removed: .deviceRemovedTitle
        case .removedHere: .removedHereTitle
        case .frozen: .circleFrozenTitle
        case .copied: .deviceCopiedTitle
        case .brokeRules: .deviceBrokeRulesTitle
        case .removalVoid: .removalVoidTitle
        case .twoOrders: .serverTwoOrdersTitle
        case .serverAtFault: .serverAtFaultTitle
        case .notSynced: .notSyncedTitle
        case .broughtBack: .serverLostTitle
        case .serverAlmostFull: .serverAlmostFullTitle
        case .moved: .vaultMovedTitle
        case .entriesWithheld: .entriesWithheldTitle
        case .notAdmitted: .notAdmittedTitle
        case .late: .lateChangesTitle
        }
    }

    var text: PromptSentence {
        switch self {
        case .added(let name): .deviceAdded(name: name.flatMap { CleanText.name($0) })
        case .removed(let name): .deviceRemoved(name: name.flatMap { CleanText.name($0) })
        case .removedHere: .removedHere
        case .frozen: .circleFrozen
        case .copied: .deviceCopied
        case .brokeRules(let name): .deviceBrokeRules(name: name.flatMap { CleanText.name($0) })
        case .removalVoid: .removalVoid
        case .twoOrders: .serverTwoOrders
        case .serverAtFault: .serverAtFault
        case .notSynced: .notSynced
        case .broughtBack(let count): .serverLost(count: count)
        case .serverAlmostFull(let percent): .serverAlmostFull(percent: percent)
        case .moved(let host): .vaultMoved(host: .domain(host))
        case .entriesWithheld: .entriesWithheld
        case .notAdmitted: .notAdmitted
        case .late(let name): .lateChanges(name: name.flatMap { CleanText.name($0) })
        }
    }
}
