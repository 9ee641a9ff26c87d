/// What a device needs to write the next entry of a log: the last entry of each chain, and the current header.
///
/// It is small and is kept in the index, so a vault opens without reading its whole log. ``LogGraph`` has the whole log.
package struct LogChain: Hashable, Sendable {
    /// The last entry of a chain.
    package struct Leaf: Hashable, Sendable {
        package var sequence: UInt64
        package var hash: [UInt8]
        package var position: Int64
        package var time: HybridTime
        /// The position up to which the entry knows all entries in the file.
        ///
        /// For the last entry of this device it is the entry's own position, unless the device was restored from a copy: then its own
        /// entries arrived after others that they do not know.
        package var known: Int64
    }

    /// A device and the ends of its chain: several if the device signed two entries with the same sequence number.
    package struct Device: Hashable, Sendable {
        package var publicKey: [UInt8]
        package var leaves: [Leaf]
    }

    package internal(set) var nonce: [UInt8] = []
    package internal(set) var authority: [UInt8] = []
    package internal(set) var devices: [DeviceID: Device] = [:]
    package internal(set) var headerGeneration: UInt64 = 0
    package internal(set) var headerHash: [UInt8] = []
    /// The position and the hash of the last entry in the file; 0 if the log is empty.
    package internal(set) var position: Int64 = 0
    package internal(set) var hash: [UInt8] = []
    /// The circle of devices; `nil` if there is none.
    package internal(set) var circle: CircleSummary?

    package init() {}

    /// Takes the ends of all chains from a whole log.
    package init(_ graph: LogGraph) {
        guard let last = graph.nodes.last else { return }
        nonce = graph.genesis?.nonce ?? []
        authority = graph.genesis?.authority ?? []
        for (id, member) in graph.members {
            let leaves = member.branches.map { graph.branches[$0].leaf }.map { place in
                let node = graph.nodes[place]
                return Leaf(
                    sequence: node.sequence,
                    hash: node.hash,
                    position: node.position,
                    time: node.time,
                    known: graph.known(by: place)
                )
            }
            devices[id] = Device(publicKey: member.publicKey, leaves: leaves.sorted { $0.position < $1.position })
        }
        if let header = graph.header { (headerGeneration, headerHash) = header }
        position = last.position
        hash = last.hash
        circle = CircleSummary(graph)
    }

    /// The time of the latest entry, by the devices' clocks.
    package var time: HybridTime {
        devices.values.flatMap(\.leaves).map(\.time).max() ?? HybridTime(value: 0)
    }

    /// The end of a device's chain; `nil` if the device is unknown or its chain has several ends.
    package func leaf(of device: DeviceID) -> Leaf? {
        guard let leaves = devices[device]?.leaves, leaves.count == 1 else { return nil }
        return leaves[0]
    }

    /// The next entry of a device.
    ///
    /// It names the last entries of other devices that this device's previous entry does not know. If a device's chain has
    /// several ends, it has several last entries. The time is after the device's previous entry and after the entries of other
    /// devices. Times of other devices that are more than a day ahead of the clock are ignored: otherwise one device with a
    /// wrong clock would change all times.
    ///
    /// - Parameters:
    ///   - operation: What the entry records.
    ///   - device: The device.
    ///   - now: The time, in seconds since 1970.
    ///   - named: The entries to name in place of all new ones.
    /// - Returns: The entry.
    /// - Throws: ``LogError`` with `refused` if the device's own chain has several ends, or if its last time is the largest.
    package func next(
        _ operation: LogOperation,
        by device: DeviceID,
        now: Int64,
        naming named: [LogEntry.Seen]? = nil
    ) throws(LogError) -> LogEntry {
        guard devices[device] == nil || leaf(of: device) != nil else {
            throw .refused("this device's log has two ends: it must begin anew")
        }
        let last = leaf(of: device)
        let others = devices.filter { $0.key != device }.flatMap(\.value.leaves)
        let latest = HybridTime(seconds: max(now, now &+ HybridTime.tolerance))
        let seen = others.map(\.time).filter { $0 <= latest }.max()
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
            seen: named ?? news(for: device),
            operation: operation
        )
    }

    /// The last entries of other devices that the last entry of a device does not know, by device and position.
    ///
    /// If they are more than an entry should name, those are left out that another one of them knows.
    package func news(for device: DeviceID) -> [LogEntry.Seen] {
        let known = leaf(of: device)?.known ?? 0
        var news = devices.filter { $0.key != device }
            .flatMap { id, member in member.leaves.map { (device: id, leaf: $0) } }.filter { $0.leaf.position > known }
        if news.count > LogLimits.names {
            let knowing = news.map(\.leaf).max { ($0.known, $0.position) < ($1.known, $1.position) }
            news.removeAll { $0.leaf.position <= knowing?.known ?? 0 && $0.leaf.hash != knowing?.hash }
        }
        return news.sorted { ($0.device, $0.leaf.position) < ($1.device, $1.leaf.position) }.map { id, leaf in
            LogEntry.Seen(device: id, sequence: leaf.sequence, hash: leaf.hash)
        }
    }

    /// Adds an entry of this device that ``next(_:by:now:naming:)`` made.
    ///
    /// Entries of this device need no check. ``LogGraph`` takes the entries of other devices, and those that may change a circle:
    /// operations on it, and in a circle all entries that name entries of other devices.
    ///
    /// - Returns: Whether the entry follows this chain; if not, the chain does not change.
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
        case .header(let generation, _)
        where publicKey != nil && circle == nil && headerGeneration < .max && generation == headerGeneration + 1:
            break
        case .revision, .purge, .content, .ignorable: break
        case .genesis, .enrol, .header, .circle, .unknown: return false
        }
        guard let publicKey, position > self.position, circle == nil || entry.seen.isEmpty,
            entry.sequence == (last?.sequence ?? 0) + 1,
            entry.previous == last?.hash, entry.time > last?.time ?? HybridTime(value: 0) || last == nil,
            Set(entry.seen.map(\.hash)) == Set(news(for: entry.device).map(\.hash))
        else { return false }
        if case .header(let generation, let hash) = entry.operation {
            (headerGeneration, headerHash) = (generation, hash)
        }
        let leaf = Leaf(
            sequence: entry.sequence,
            hash: signed.hash,
            position: position,
            time: entry.time,
            known: position
        )
        devices[entry.device] = Device(publicKey: publicKey, leaves: [leaf])
        self.position = position
        hash = signed.hash
        return true
    }
}

extension LogGraph {
    /// The position up to which an entry knows everything.
    ///
    /// It depends only on what is before the entry in the file.
    fileprivate func known(by place: Int) -> Int64 {
        let node = nodes[place]
        let known = branches.indices.reduce(UInt64(0)) { count, branch in
            let (limit, first) = (node.past.limit(branch), branches[branch].first)
            return limit < first ? count : count + (limit - first + 1)
        }
        guard known <= UInt64(place) else { return node.position }
        let unknown = nodes[..<place].first { !node.past.contains($0) }
        return unknown.map { $0.position - 1 } ?? node.position
    }
}
