/// The circle of devices in a log, and which of its entries the entries of the log know.
///
/// The circle gets the operations on it that stand, and of all other entries those that tell something new about it: that their device
/// had seen another operation that stands.
struct CircleLog: Sendable {
    private(set) var circle: Circle<StandardCircleRules>
    /// What entries of the log know of the circle, as sets of its entries.
    ///
    /// The first set is empty.
    private(set) var views: [Bits] = [Bits()]
    /// How many words of memory ``views`` take, and the sets that the circle keeps of each of its entries.
    private(set) var words = 0
    /// The circle after all entries; `nil` before it begins.
    private(set) var state: CircleState?
    /// The devices of operations 7 that stand.
    private(set) var admitted: [[UInt8]: CircleDevice] = [:]
    /// Whether every device that ever wrote is a member, and nothing can take an operation away.
    private(set) var isPlain = true
    /// Whether other entries count than before the last entry.
    var hasChanged = false
    private var writers: Set<DeviceID> = []
    /// The operations that stand.
    private var operations = Bits()

    init(root: [UInt8]) { circle = Circle(root: root) }

    var root: [UInt8] { circle.root }

    /// The circle as somebody sees it who has these entries.
    mutating func state(_ view: Bits) -> CircleState? { view.isEmpty ? nil : circle.state(after: view) }

    /// The entries of such a set that are in the past of no other entry of it.
    func newest(in view: Bits) -> [[UInt8]] { circle.newest(in: view) }

    /// Whether an entry would stand.
    func wouldStand(_ entry: CircleEntry, after state: CircleState, isStopped: Bool = false) -> Bool {
        circle.wouldStand(entry, after: state, isStopped: isStopped)
    }

    /// Whether one of two sets has operations that the other one lacks.
    func hasOperations(in view: Bits, butNotIn other: Bits) -> Bool {
        var news = view
        news.subtract(other)
        news.formIntersection(operations)
        return !news.isEmpty
    }

    /// The index of what an entry knows that is not in the circle.
    mutating func index(of view: Bits, near known: Int) -> Int {
        if views[known] == view { return known }
        if view.isEmpty { return 0 }
        views.append(view)
        words += Self.words(view)
        return views.count - 1
    }

    /// Adds an entry to the circle.
    ///
    /// - Returns: The index of what the entry knows, with itself.
    mutating func take(
        _ entry: CircleEntry,
        knowing view: Bits,
        admits device: CircleDevice?,
        isNamed: Bool,
        isStopped: Bool
    ) throws(CircleLimitError) -> Int {
        try circle.take(entry, isNamed: isNamed, isStopped: isStopped)
        var view = view
        view.insert(circle.count - 1)
        views.append(view)
        words += Self.setsOfEntry * Self.words(view)
        // What does not stand changes nothing. Otherwise a device without the owner key could make others write statements without end.
        if entry.operation != .other, circle.stands(entry.hash) { operations.insert(circle.count - 1) }
        if let device, circle.stands(entry.hash) { admitted[entry.hash] = device }
        let before = state
        let now = circle.state()
        state = now
        hasChanged = hasChanged || before?.writers != now.writers || before?.removed != now.removed
        updatePlain()
        return views.count - 1
    }

    /// What an entry knows, its past, and what it rests on.
    private static let setsOfEntry = 3

    /// An array has a header of four words.
    private static func words(_ set: Bits) -> Int { set.wordCount + 4 }

    /// How many ``words`` the next entry adds at most.
    var wordsOfNext: Int { Self.setsOfEntry * (circle.count / 64 + 1 + 4) }

    /// Notes that a device has written.
    mutating func note(_ writer: DeviceID) {
        guard writers.insert(writer).inserted, state != nil else { return }
        updatePlain()
    }

    private mutating func updatePlain() {
        let isPlainNow = !circle.canTakeAway && writers.isSubset(of: state?.members ?? writers)
        hasChanged = hasChanged || isPlainNow != isPlain
        isPlain = isPlainNow
    }
}
