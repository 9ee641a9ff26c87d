/// What a circle decided about an entry, with hashes in place of the numbers of its arrival.
package struct CircleDecision: Hashable, Sendable {
    package var past: Set<[UInt8]>
    package var stands: Bool
    package var limit: CircleLimitError?
    /// The operations that admitted its author.
    package var admissions: Set<[UInt8]>
    /// The removals in dispute that it closes.
    package var closes: Set<[UInt8]>
    package var recipients: Set<DeviceID>
    package var replaces: Set<CircleKey>
    package var members: Set<DeviceID>
    package var isSignedByRecovery: Bool
    /// The operations that rest on something which it hits, with what it hits; and those that it reaches alone as a replacement of
    /// recovery keys.
    package var hits: [[UInt8]: Set<[UInt8]>]
    package var replaced: Set<[UInt8]>
}

extension Circle {
    /// Everything that ``take(_:isNamed:)`` depends on: two circles with the same value take each entry in the same way.
    ///
    /// What is not in here is computed from it: the sets of the entries that know an entry, the entries of each device, and answers
    /// that are kept so that nobody asks twice.
    package func value() -> [[UInt8]: CircleDecision] {
        func hashes(_ places: some Sequence<Int>) -> Set<[UInt8]> { Set(places.map { nodes[$0].entry.hash }) }
        var found: [[UInt8]: CircleDecision] = [:]
        for (place, node) in nodes.enumerated() {
            found[node.entry.hash] = CircleDecision(
                past: hashes(node.past.members),
                stands: node.stands,
                limit: node.limit,
                admissions: hashes(node.admissions),
                closes: hashes(node.closes),
                recipients: node.recipients,
                replaces: node.replaces,
                members: node.members,
                isSignedByRecovery: node.isSignedByRecovery,
                hits: (hits[place] ?? [:]).reduce(into: [:]) { hits, hit in
                    hits[nodes[hit.key].entry.hash] = hashes(hit.value.members)
                },
                replaced: hashes(replaced[place]?.members ?? [])
            )
        }
        return found
    }
}
