internal import WardLog

/// What decides which entries of a log count, beside what the entries know.
struct CountingRules: Hashable {
    private let removed: [DeviceID: Set<[UInt8]>]
    private let writers: Set<DeviceID>
    private let void: [DeviceID: UInt64]

    init(_ graph: LogGraph, devices: some Sequence<DeviceID>) {
        removed = graph.circleState?.removed ?? [:]
        writers = graph.circleState?.writers ?? []
        void = Dictionary(devices.compactMap { id in graph.voidSequence(of: id).map { (id, $0) } }) { first, _ in first
        }
    }
}

extension OpenVault {
    /// Whether other entries may count after a change of the log.
    func mayCountOtherwise(_ before: LogGraph, _ after: LogGraph) -> Bool {
        // Where a device turned out to have broken the rules, any item may change.
        let devices = chain.devices.keys
        return CountingRules(before, devices: devices) != CountingRules(after, devices: devices)
    }
}
