internal import WardCBOR
internal import WardSync
internal import WardVault

/// What a person is told of the devices of a vault, each once.
enum CircleNews: Hashable, Sendable {
    case added(name: String?)
    case removed(name: String?)
    /// This device was removed.
    case removedHere
    /// Two devices removed each other.
    case frozen
    /// This device's vault was restored from a copy, or its disk was copied.
    case copied
    /// A device that is in the circle wrote what no device of the person should write.
    case brokeRules(name: String?)
    /// A removal of a device does not count.
    case removalVoid
    /// The server showed two orders of entries.
    case twoOrders
    /// The server hides entries, or sends others than were written.
    case serverAtFault
    /// Syncs have failed for more than a day.
    case notSynced
    /// Entries of other devices have been lacking for a long time, although syncs end well.
    case entriesWithheld
    /// Somebody outside the circle writes into the folder.
    case notAdmitted
    /// A removed device made changes that its removal does not know, and that do not count.
    case late(name: String?)
    /// The server had lost so many entries, and this device brought them back.
    case broughtBack(Int)
    /// The vault uses so many percent of its room on the server.
    case serverAlmostFull(percent: Int)
    /// The vault moved to another server, and this device followed.
    case moved(host: String)
}

/// The devices of a vault, as far as a person is told of them.
struct CircleView: Hashable, Sendable {
    struct Device: Hashable, Sendable {
        /// The device's ID, 32 hexadecimal digits.
        var id: String
        var name: String?
        /// Whether the device may write, or will when it begins.
        var isIn: Bool
        var isThisDevice: Bool
        var hasBrokenRules = false
        /// Whether this device itself admitted it, or removed it if it is out: the person knows.
        var isOwnAct = false
        /// Whether it was removed and made changes that its removal does not know.
        var isLate = false
    }

    /// Why syncs fail.
    struct Trouble: Hashable, Sendable {
        var code: String
        /// How many seconds ago the first one failed.
        var age: Int64
    }

    var devices: [Device]
    var isFrozen: Bool
    var isCopied: Bool
    /// Whether entries of other devices have been lacking for a long time.
    var lacksEntries = false
    /// Whether somebody outside the circle writes into the folder.
    var hasStrangers = false
    var hasTwoOrders: Bool
    /// The number of removals that do not count.
    var voidRemovals = 0
    /// How many percent of the room on the server are used, if little is left.
    var almostFull: Int?
    /// Whether a sync has said what the server did; otherwise nothing of it is known.
    var knowsServer: Bool
    /// Why the last sync failed.
    var trouble: Trouble?

    init(
        devices: [Device],
        isFrozen: Bool = false,
        isCopied: Bool = false,
        hasTwoOrders: Bool = false,
        almostFull: Int? = nil,
        knowsServer: Bool = true,
        trouble: Trouble? = nil
    ) {
        self.devices = devices
        self.isFrozen = isFrozen
        self.isCopied = isCopied
        self.hasTwoOrders = hasTwoOrders
        self.almostFull = almostFull
        self.knowsServer = knowsServer
        self.trouble = trouble
    }

    init(
        _ circle: CircleOverview,
        isCopied: Bool,
        lacksEntries: Bool,
        _ report: SyncReport?,
        _ trouble: Trouble?
    ) {
        devices = circle.devices.map {
            Device(
                id: $0.id.text,
                name: $0.name,
                isIn: $0.status != .removed,
                isThisDevice: $0.isThisDevice,
                hasBrokenRules: $0.hasBrokenRules,
                isOwnAct: $0.isOwnAct,
                // Of one that broke rules the person knows that what it wrote does not count.
                isLate: $0.status == .removed && !$0.hasBrokenRules && $0.lateRevisions > 0
            )
        }
        voidRemovals = circle.droppedRemovals
        isFrozen = circle.isFrozen
        self.isCopied = isCopied
        self.lacksEntries = lacksEntries
        hasStrangers = report?.hasStrangers ?? false
        hasTwoOrders = report?.hasTwoOrders ?? false
        almostFull = report?.room?.almostFull
        knowsServer = report != nil
        self.trouble = trouble
    }
}

/// The devices that a person knows of, and what they were told.
struct CircleMemory: Hashable, Sendable {
    private enum Told: UInt64, CaseIterable {
        case removedHere = 1, frozen, copied, twoOrders, almostFull, atFault, notSynced, withheld, strangers
    }

    /// After how many seconds without a sync a person is told.
    private static let patience: Int64 = 86_400
    /// The codes of a server that lies.
    private static let faults: Set<String> = Set([ServerError.Code.hides, .wrongData].map(\.name))

    /// This device's ID; a recovery key can make it another device.
    private(set) var own: String?
    /// The other devices that were in the circle.
    private var others: Set<String>
    /// The other devices in the circle that broke rules.
    private var suspects: Set<String> = []
    private var voidRemovals = 0
    /// The removed devices whose late changes were told.
    private var late: Set<String> = []
    private var told: Set<Told> = []

    /// Everything that is there now is known.
    init(knowing view: CircleView) {
        own = view.devices.first(where: \.isThisDevice)?.id
        others = Self.others(view)
        suspects = Set(Self.suspects(view).map(\.id))
        voidRemovals = view.voidRemovals
        late = Set(Self.late(view).map(\.id))
        told = Set(Self.facts(view).keys)
    }

    init?(_ value: CBORValue) {
        guard let others = value[1]?.arrayValue, let told = value[2]?.arrayValue else { return nil }
        self.others = Set(others.compactMap(\.textValue))
        suspects = Set((value[3]?.arrayValue ?? []).compactMap(\.textValue))
        own = value[5]?.textValue
        voidRemovals = value[4]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
        late = Set((value[6]?.arrayValue ?? []).compactMap(\.textValue))
        self.told = Set(told.compactMap { $0.integerValue.flatMap { Told(rawValue: UInt64(clamping: $0)) } })
    }

    var value: CBORValue {
        var fields = CBORFields()
        fields.put(1, .array(others.sorted().map { .text($0) }))
        fields.put(2, .array(told.map(\.rawValue).sorted().map { .unsigned($0) }))
        if !suspects.isEmpty { fields.put(3, .array(suspects.sorted().map { .text($0) })) }
        if voidRemovals > 0 { fields.put(4, .unsigned(UInt64(voidRemovals))) }
        fields.put(5, own.map { .text($0) })
        if !late.isEmpty { fields.put(6, .array(late.sorted().map { .text($0) })) }
        return fields.value
    }

    /// Forgets what was told of the folder or the server, because there is another one now.
    mutating func forgetPlace() { told.subtract(Self.ofPlace) }

    private static let ofPlace: Set<Told> = [.twoOrders, .almostFull, .atFault, .notSynced, .withheld, .strangers]

    /// Compares with what is there now.
    ///
    /// - Parameters:
    ///   - memory: What is known; `nil` for a device that sees its circle for the first time.
    ///   - view: The devices now.
    /// - Returns: What the person does not know yet, and the memory after they were told.
    static func news(since memory: CircleMemory?, _ view: CircleView) -> ([CircleNews], CircleMemory) {
        var after = CircleMemory(knowing: view)
        // What was told of the server stays told until a sync says otherwise.
        if !view.knowsServer, let memory {
            after.told.formUnion(memory.told.intersection([.twoOrders, .almostFull]))
        }
        // Who holds the folder can bring a file and take it away as often as they like.
        if let memory { after.told.formUnion(memory.told.intersection([.strangers])) }
        if view.trouble != nil, let memory { after.told.formUnion(memory.told.intersection([.atFault, .notSynced])) }
        var news: [CircleNews] = []
        if let memory {
            for device in view.devices where !device.isThisDevice && !device.isOwnAct {
                switch (memory.others.contains(device.id), device.isIn) {
                // The person knows the device that this one was.
                case (false, true) where device.id != memory.own: news.append(.added(name: device.name))
                case (true, false): news.append(.removed(name: device.name))
                default: break
                }
            }
            for device in Self.suspects(view) where !memory.suspects.contains(device.id) {
                news.append(.brokeRules(name: device.name))
            }
            if view.voidRemovals > memory.voidRemovals { news.append(.removalVoid) }
            for device in Self.late(view) where !memory.late.contains(device.id) {
                news.append(.late(name: device.name))
            }
        }
        let facts = facts(view)
        news += Told.allCases.filter { memory?.told.contains($0) != true }.compactMap { facts[$0] }
        return (news, after)
    }

    private static func others(_ view: CircleView) -> Set<String> {
        Set(view.devices.filter { $0.isIn && !$0.isThisDevice }.map(\.id))
    }

    private static func suspects(_ view: CircleView) -> [CircleView.Device] {
        view.devices.filter { $0.hasBrokenRules && $0.isIn && !$0.isThisDevice }
    }

    private static func late(_ view: CircleView) -> [CircleView.Device] {
        view.devices.filter { $0.isLate && !$0.isThisDevice }
    }

    private static func facts(_ view: CircleView) -> [Told: CircleNews] {
        var facts: [Told: CircleNews] = [:]
        if view.devices.contains(where: { $0.isThisDevice && !$0.isIn }) { facts[.removedHere] = .removedHere }
        if view.isFrozen { facts[.frozen] = .frozen }
        if view.isCopied { facts[.copied] = .copied }
        if view.hasTwoOrders { facts[.twoOrders] = .twoOrders }
        if view.lacksEntries { facts[.withheld] = .entriesWithheld }
        if view.hasStrangers { facts[.strangers] = .notAdmitted }
        if let percent = view.almostFull { facts[.almostFull] = .serverAlmostFull(percent: percent) }
        if let trouble = view.trouble {
            if faults.contains(trouble.code) { facts[.atFault] = .serverAtFault }
            if trouble.age > patience { facts[.notSynced] = .notSynced }
        }
        return facts
    }
}
