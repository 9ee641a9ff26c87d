internal import WardCBOR
internal import WardLog
internal import WardWebAuthn

extension IndexSnapshot {
    /// The parts of one slot: encoded texts and hashed keys.
    struct Piece {
        var id: ItemID
        var heads: [RevisionPlace]
        var summary: [UInt8]
        var search: [UInt8]
        var siteHashes: [UInt64]
        var credentialHashes: [UInt64]

        init(_ entry: IndexEntry) {
            id = entry.summary.id
            heads = entry.heads
            var writer = CBORWriter()
            entry.summary.encode(into: &writer)
            summary = writer.bytes
            search = entry.search
            siteHashes = entry.siteKeys.map { SiteKeys.hash($0.utf8) }
            credentialHashes = entry.summary.passkeys.map { SiteKeys.hash($0.credentialID.bytes) }
        }

        /// Copies a slot unchanged.
        init?(_ snapshot: IndexSnapshot, slot: Int, sites: [UInt64], credentials: [UInt64]) {
            guard let id = snapshot.id(slot) else { return nil }
            self.id = id
            heads = snapshot.heads(slot, id)
            summary = Array(snapshot.bytes[snapshot.summaryRange(slot)])
            search = Array(snapshot.bytes[snapshot.searchRange(slot)])
            siteHashes = sites
            credentialHashes = credentials
        }
    }

    /// The bytes of an index.
    static func build(
        _ pieces: [Piece],
        _ chain: LogChain,
        _ removals: [Removal],
        _ contents: [[UInt8]: ContentPlace]
    ) -> [UInt8] {
        let pieces = pieces.sorted { $0.id < $1.id }
        var slots: [UInt8] = []
        var arena: [UInt8] = []
        var sites: [(hash: UInt64, slot: Int)] = []
        var credentials: [(hash: UInt64, slot: Int)] = []
        for (slot, piece) in pieces.enumerated() {
            slots += piece.id.bytes
            // If an item has several newest revisions, the others are in the state of the log.
            let first = piece.heads.first ?? RevisionPlace(position: 0, hash: [UInt8](repeating: 0, count: 32))
            slots += first.hash
            append(UInt64(bitPattern: first.position), width: 8, to: &slots)
            for text in [piece.summary, piece.search] {
                append(UInt64(arena.count), width: 4, to: &slots)
                append(UInt64(text.count), width: 4, to: &slots)
                arena += text
            }
            sites += piece.siteHashes.map { ($0, slot) }
            credentials += piece.credentialHashes.map { ($0, slot) }
        }
        let state = IndexState(chain, pieces, removals, contents).cbor.encoded()
        var bytes: [UInt8] = []
        for number in [
            Int(magic), pieces.count, sites.count, credentials.count, state.count, arena.count,
        ] {
            append(UInt64(number), width: 4, to: &bytes)
        }
        bytes += slots
        for table in [sites, credentials] {
            for key in table.sorted(by: { ($0.hash, $0.slot) < ($1.hash, $1.slot) }) {
                append(key.hash, width: 8, to: &bytes)
                append(UInt64(key.slot), width: 4, to: &bytes)
            }
        }
        bytes += state
        bytes += arena
        return bytes
    }

    private static func append(_ value: UInt64, width: Int, to bytes: inout [UInt8]) {
        for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}
