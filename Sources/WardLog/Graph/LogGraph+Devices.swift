/// What a server needs to know of the devices in a log.
extension LogGraph {
    /// The devices that may write now, each with its key: the members of the circle, or all devices if there is no circle.
    ///
    /// A device whose admission is known can be among them before it has written anything.
    package var writers: [DeviceID: [UInt8]] {
        guard let state = circle?.state else { return members.mapValues(\.publicKey) }
        let allowed = state.writers
        let admitted = circle?.admitted.values.map { ($0.id, $0.publicKey) } ?? []
        var found = Dictionary(admitted.filter { allowed.contains($0.0) }) { first, _ in first }
        for (id, member) in members where allowed.contains(id) { found[id] = member.publicKey }
        return found
    }

    /// All devices that ever wrote, each with its key.
    package var authors: [DeviceID: [UInt8]] { members.mapValues(\.publicKey) }

    /// Whether a removal that counts removed the device.
    package func isRemoved(_ device: DeviceID) -> Bool { circle?.state?.removed[device] != nil }

    /// How many chains a device has: more than one if it signed two entries with the same number.
    package func chains(of device: DeviceID) -> Int { members[device]?.branches.count ?? 0 }

    /// How many chains there are beside the first one of each device.
    package var additionalChains: Int { branches.count - members.count }

    /// How many words of memory the past of an entry would take at most; 0 if the entry would share the past of the one before.
    package func pastWords(of entry: LogEntry) -> Int {
        if entry.seen.isEmpty, let previous = entry.previous.flatMap({ places[$0] }),
            branches[nodes[previous].past.branch].leaf == previous
        {
            return 0
        }
        // An array has a header of four words.
        return branches.count + 4
    }

    /// How many words of memory the log takes for what its entries know of the circle.
    package var circleWords: Int { circle?.words ?? 0 }

    /// How many of ``circleWords`` an entry would add at most.
    package func circleWords(of entry: LogEntry) -> Int {
        guard let circle else { return 0 }
        switch entry.operation {
        case .header, .circle, .unknown: return circle.wordsOfNext
        case .genesis, .enrol, .revision, .purge, .content, .ignorable: return knowsNews(entry) ? circle.wordsOfNext : 0
        }
    }

    /// The Ed25519 keys of the recovery keys in force.
    package var recoveryKeys: [[UInt8]] {
        (circle?.state?.recovery ?? []).map { Array($0.bytes.dropFirst()) }
    }

    /// The Ed25519 keys of the owner keys in force.
    package var ownerKeys: [[UInt8]] { (circle?.state?.owners ?? []).map { Array($0.bytes.dropFirst()) } }

    /// The entry that begins the circle, as the reader was told.
    package var circleRoot: [UInt8]? { circle?.root }

    /// Whether the circle has begun in this log.
    package var hasCircle: Bool { circle?.state != nil }
}

extension LogGraph {
    /// Of each of some entries, the first other entry that its device signed with the same number.
    ///
    /// The graph is searched once, however many entries there are.
    ///
    /// - Parameter hashes: The entries; those that are not in the graph have no other one.
    /// - Returns: The hashes of the other entries, in the order of `hashes`; `nil` where there is none.
    package func contradictions(of hashes: [[UInt8]]) -> [[UInt8]?] {
        struct Number: Hashable {
            let device: DeviceID
            let sequence: UInt64
        }
        func number(_ index: Int) -> Number { Number(device: nodes[index].device, sequence: nodes[index].sequence) }

        let sequences = Set(hashes.compactMap { places[$0] }.map { nodes[$0].sequence })
        let found = Dictionary(
            grouping: nodes.indices.lazy.filter { sequences.contains(nodes[$0].sequence) },
            by: number
        )
        return hashes.map { hash in
            guard let place = places[hash] else { return nil }
            return found[number(place)]?.first { $0 != place }.map { nodes[$0].hash }
        }
    }

    /// The entries that a device signed with a number, in order of arrival.
    private func entries(of device: DeviceID, at sequence: UInt64) -> [[UInt8]] {
        nodes.filter { $0.device == device && $0.sequence == sequence }.map(\.hash)
    }
}

extension LogGraph {
    /// Two entries that a device signed with the same number: the proof that it broke the rules, or that a copy of it exists.
    ///
    /// - Parameter device: The device.
    /// - Returns: The smallest such number and the hashes of its first two entries in order of arrival; `nil` if there is none.
    package func proof(against device: DeviceID) -> (sequence: UInt64, hashes: [[UInt8]])? {
        guard chains(of: device) > 1 else { return nil }
        var seen: Set<UInt64> = []
        let doubles = nodes.lazy.filter { $0.device == device && !seen.insert($0.sequence).inserted }.map(\.sequence)
        guard let sequence = Set(doubles).min() else { return nil }
        return (sequence, Array(entries(of: device, at: sequence).prefix(2)))
    }

    /// The position of the first entry of a device behind a sequence number; `nil` if there is none.
    package func firstPosition(of device: DeviceID, after sequence: UInt64) -> Int64? {
        nodes.lazy.filter { $0.device == device && $0.sequence > sequence }.map(\.position).min()
    }
}

extension LogGraph {
    /// How many revisions and removals of an item a device wrote.
    package func changes(of item: LogItemID, by device: DeviceID) -> Int {
        (items[item]?.nodes ?? []).count { nodes[$0].device == device }
    }
}

// MARK: - Blobs that are missing

extension LogGraph {
    /// Those of some entries in the log whose blob must still be kept, by the rules for entries alone.
    ///
    /// A revision or a content may be missing if it can be cleared, and a header if its operation does not stand. The time since which it can be
    /// cleared is the caller's to check. The cost grows with the number of revisions of the items, not with its square, so a server can
    /// ask for entries of devices that want to slow it down.
    package func entriesThatNeedBlob(_ records: [LogRecord]) -> [LogRecord] {
        var items: [LogItemID: Clearing] = [:]
        return records.filter { record in
            switch record.entry.entry.operation {
            case .revision(let revision):
                return !clearing(revision.item, &items).contains(record.entry.hash)
            case .content(let content):
                return !clearing(content.item, &items).contains(content: content.blobHash)
            // One that is not in force may come in force by what arrives later.
            case .header(_, let body): return circleState == nil ? header?.hash == body : stands(record.entry.hash)
            case .circle(let operation): return operation.keys != nil && stands(record.entry.hash)
            case .genesis, .enrol, .purge, .ignorable, .unknown: return false
            }
        }
    }

    private func clearing(_ item: LogItemID, _ items: inout [LogItemID: Clearing]) -> Clearing {
        if let known = items[item] { return known }
        let found = Clearing(self, item)
        items[item] = found
        return found
    }

    /// What of an item can be cleared.
    struct Clearing {
        private let graph: LogGraph
        private let revisions: [Int]
        private let heads: [Int]
        private let purges: [Int]

        init(_ graph: LogGraph, _ item: LogItemID) {
            self.graph = graph
            let everything = graph.everything
            heads = graph.heads(of: item, in: everything)
            var (revisions, purges): ([Int], [Int]) = ([], [])
            for index in graph.items[item]?.nodes ?? [] {
                switch graph.nodes[index].content {
                case .revision: revisions.append(index)
                case .purge: if graph.isEffective(graph.nodes[index], in: everything) { purges.append(index) }
                case .header, .content, .other: break
                }
            }
            (self.revisions, self.purges) = (revisions, purges)
        }

        func contains(_ hash: [UInt8]) -> Bool { graph.places[hash].map(contains) ?? false }

        /// All revisions that a newest one takes the place of are among its ancestors, because each has all newest ones as parents.
        private func contains(_ index: Int) -> Bool {
            let node = graph.nodes[index]
            let isDeep = heads.contains { head in
                graph.number(of: head) >= graph.number(of: index) + LogGraph.keptRevisions
                    && graph.supersedes(head, index)
            }
            return isDeep || purges.contains { graph.nodes[$0].past.contains(node) }
        }

        /// A content can be cleared if some revision names it, and if each one that does can be cleared.
        func contains(content hash: [UInt8]) -> Bool {
            let naming = revisions.filter { index in
                guard case .revision(let record, _) = graph.nodes[index].content else { return false }
                return record.contents.contains(hash)
            }
            return !naming.isEmpty && naming.allSatisfy(contains)
        }
    }
}
