extension LogRecord {
    /// The hashes of the entries that this one needs.
    package var names: [[UInt8]] {
        var found = entry.entry.seen.map(\.hash)
        if let previous = entry.entry.previous { found.append(previous) }
        switch entry.entry.operation {
        case .revision(let record): found += record.parents
        case .purge(_, let parents): found += parents
        case .circle(.joinAdmitted(let admission)): found.append(admission)
        case .genesis, .enrol, .header, .circle, .content, .ignorable, .unknown: break
        }
        return found
    }

    /// Whether the entry may change who is in the circle, its keys or its header.
    package var changesCircle: Bool {
        switch entry.entry.operation {
        case .circle, .header: true
        case .genesis, .enrol, .revision, .purge, .content, .ignorable, .unknown: false
        }
    }

    /// Whether the entry removes a device, whether or not the removal counts.
    package func removes(_ device: DeviceID) -> Bool {
        if case .circle(.remove(let devices, _)) = entry.entry.operation { devices.contains(device) } else { false }
    }
}
