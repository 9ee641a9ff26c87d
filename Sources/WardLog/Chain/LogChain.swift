/// What a device must know of a log to write the next entry: the ends of all chains and the header in force.
///
/// Small, so it lies in the index and a vault opens without its whole log. ``LogGraph`` knows the rest.
package struct LogChain: Hashable, Sendable {
    /// The last entry of a chain.
    package struct Leaf: Hashable, Sendable {
        package var sequence: UInt64
        package var hash: [UInt8]
        package var position: Int64
        package var time: HybridTime
    }

    /// A device and where its chain ends: at one entry, or at several where the device signed two with one number.
    package struct Device: Hashable, Sendable {
        package var publicKey: [UInt8]
        package var leaves: [Leaf]
    }

    package internal(set) var nonce: [UInt8] = []
    package internal(set) var authority: [UInt8] = []
    package internal(set) var devices: [DeviceID: Device] = [:]
    package internal(set) var headerGeneration: UInt64 = 0
    package internal(set) var headerHash: [UInt8] = []
    /// Where the last entry lies, and its hash; 0 before the first.
    package internal(set) var position: Int64 = 0
    package internal(set) var hash: [UInt8] = []

    package init() {}

    /// What a whole log amounts to.
    package init(_ graph: LogGraph) {
        guard let last = graph.nodes.last else { return }
        nonce = graph.genesis?.nonce ?? []
        authority = graph.genesis?.authority ?? []
        for (id, member) in graph.members {
            let leaves = member.branches.map { graph.nodes[graph.branches[$0].leaf] }.map { node in
                Leaf(sequence: node.sequence, hash: node.hash, position: node.position, time: node.time)
            }
            devices[id] = Device(publicKey: member.publicKey, leaves: leaves.sorted { $0.position < $1.position })
        }
        if let header = graph.header { (headerGeneration, headerHash) = header }
        position = last.position
        hash = last.hash
    }

    /// The time of the latest entry, as the devices' clocks said.
    package var time: HybridTime {
        devices.values.flatMap(\.leaves).map(\.time).max() ?? HybridTime(value: 0)
    }

    /// The one end of a device's chain; `nil` when the device is not there, or its chain has several ends.
    package func leaf(of device: DeviceID) -> Leaf? {
        guard let leaves = devices[device]?.leaves, leaves.count == 1 else { return nil }
        return leaves[0]
    }

    /// The next entry of a device, which names the ends of all chains that came after the device's entry before.
    ///
    /// It is later than the device's entry before, and than those of others. A time of another device that is more than a day
    /// ahead of the clock is ignored: otherwise one device with a wrong clock would set all clocks.
    ///
    /// - Throws: ``LogError`` with `refused` when the device's own chain has several ends, or no time is left for it.
    package func next(_ operation: LogOperation, by device: DeviceID, now: Int64) throws(LogError) -> LogEntry {
        guard devices[device] == nil || leaf(of: device) != nil else {
            throw .refused("this device's log has two ends: it must begin anew")
        }
        let last = leaf(of: device)
        let others = devices.filter { $0.key != device }.flatMap { id, member in member.leaves.map { (id, $0) } }
        let news = others.filter { $0.1.position > last?.position ?? 0 }
        let latest = HybridTime(seconds: max(now, now &+ HybridTime.tolerance))
        let seen = others.map(\.1.time).filter { $0 <= latest }.max()
        let after = [last?.time, seen].compactMap { $0 }.max()
        let time = HybridTime(now: now, after: after)
        guard time.value < HybridTime.limit else {
            throw .refused("this device's last entry has the latest time there is")
        }
        return LogEntry(
            device: device,
            sequence: (last?.sequence ?? 0) + 1,
            previous: last?.hash,
            time: time,
            seen: news.sorted { ($0.0, $0.1.position) < ($1.0, $1.1.position) }.map { id, leaf in
                LogEntry.Seen(device: id, sequence: leaf.sequence, hash: leaf.hash)
            },
            operation: operation
        )
    }

    /// Goes on by an entry of a device that names everything: one that was made by ``next(_:by:now:)``.
    ///
    /// For entries of this device alone, which nobody has to check. ``LogGraph`` takes those of others.
    ///
    /// - Returns: Whether the entry is such a one; the chain is what it was if not.
    package mutating func append(_ signed: SignedEntry, at position: Int64) -> Bool {
        let entry = signed.entry
        let last = leaf(of: entry.device)
        let isFirst = devices.isEmpty
        var publicKey = devices[entry.device]?.publicKey
        switch entry.operation {
        case .genesis(let key, _, let nonce, let authority) where isFirst:
            publicKey = key
            self.nonce = nonce
            self.authority = authority
        case .enrol(let key, _) where publicKey == nil && !isFirst: publicKey = key
        case .header(let generation, _) where publicKey != nil && generation == headerGeneration + 1: break
        case .revision, .purge, .content, .ignorable: break
        case .genesis, .enrol, .header, .unknown: return false
        }
        let news = devices.filter { $0.key != entry.device }.flatMap(\.value.leaves)
            .filter { $0.position > last?.position ?? 0 }
        guard let publicKey, position > self.position, entry.sequence == (last?.sequence ?? 0) + 1,
            entry.previous == last?.hash, entry.time > last?.time ?? HybridTime(value: 0) || last == nil,
            Set(entry.seen.map(\.hash)) == Set(news.map(\.hash))
        else { return false }
        if case .header(let generation, let hash) = entry.operation {
            (headerGeneration, headerHash) = (generation, hash)
        }
        let leaf = Leaf(sequence: entry.sequence, hash: signed.hash, position: position, time: entry.time)
        devices[entry.device] = Device(publicKey: publicKey, leaves: [leaf])
        self.position = position
        hash = signed.hash
        return true
    }
}
