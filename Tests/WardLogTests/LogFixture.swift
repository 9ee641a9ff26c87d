import Crypto
import WardLog

/// Devices that write one log, each with what it knows of it.
final class LogFixture {
    /// A device, what it knows, and how it signs.
    final class Device {
        let id: DeviceID
        let publicKey: [UInt8]
        let sign: ([UInt8]) -> [UInt8]
        private(set) var graph: LogGraph
        /// What the device has, in the order in which it came.
        private(set) var log: [SignedEntry] = []
        var now: Int64 = 1_700_000_000

        init(publicKey: [UInt8], sign: @escaping ([UInt8]) -> [UInt8], _ graph: LogGraph) {
            id = DeviceID(publicKey: publicKey)
            self.publicKey = publicKey
            self.sign = sign
            self.graph = graph
        }

        /// The next entry of the device as it would write it; it is not taken in.
        func draft(_ operation: LogOperation) throws -> LogEntry {
            try LogChain(graph).next(operation, by: id, now: now)
        }

        func signed(_ entry: LogEntry) -> SignedEntry { entry.signed(vault: graph.vault, by: sign) }

        @discardableResult
        func write(_ operation: LogOperation) throws -> SignedEntry {
            let signed = signed(try draft(operation))
            guard try take(signed) == .taken else { throw LogError.refused("the device does not take its own entry") }
            return signed
        }

        /// A revision as the device would write it.
        func revision(_ item: LogItemID, content: UInt8 = 0) -> RevisionEntry {
            let heads = graph.heads(of: item)
            return RevisionEntry(
                item: item,
                number: (heads.map(\.record.number).max() ?? 0) + 1,
                parents: heads.map(\.hash),
                epoch: 0,
                blobHash: [UInt8](repeating: content, count: 32)
            )
        }

        @discardableResult
        func edit(_ item: LogItemID, content: UInt8 = 0) throws -> SignedEntry {
            try write(.revision(revision(item, content: content)))
        }

        @discardableResult
        func purge(_ item: LogItemID) throws -> SignedEntry {
            try write(.purge(item: item, parents: graph.heads(of: item).map(\.hash)))
        }

        @discardableResult
        func replaceHeader(_ content: UInt8) throws -> SignedEntry {
            let generation = (graph.header?.generation ?? 0) + 1
            return try write(.header(generation: generation, hash: [UInt8](repeating: content, count: 32)))
        }

        @discardableResult
        func take(_ entry: SignedEntry) throws -> LogGraph.Outcome {
            let outcome = try graph.take(entry)
            if outcome == .taken { log.append(entry) }
            return outcome
        }

        /// Takes entries in whatever order, until nothing more is taken.
        func take(_ entries: [SignedEntry]) throws {
            var waiting = entries
            while true {
                let before = waiting.count
                waiting = try waiting.filter { entry in
                    if case .waits = try take(entry) { true } else { false }
                }
                guard waiting.count < before, !waiting.isEmpty else { return }
            }
        }
    }

    let scheme: SignatureScheme
    private(set) var devices: [Device] = []
    private let authority: (publicKey: [UInt8], sign: ([UInt8]) -> [UInt8])
    let nonce = [UInt8](repeating: 7, count: 32)
    let genesis: SignedEntry

    /// The first device begins the log, the others are admitted, and all know each other.
    init(devices count: Int = 1, _ scheme: SignatureScheme = .keyedHash) throws {
        self.scheme = scheme
        let isKeyed = !scheme.isReal
        authority = Self.keys(200, isKeyed: isKeyed)
        let (publicKey, sign) = Self.keys(0, isKeyed: isKeyed)
        let entry = LogEntry(
            device: DeviceID(publicKey: publicKey),
            sequence: 1,
            previous: nil,
            time: HybridTime(now: 1_700_000_000, after: nil),
            seen: [],
            operation: .genesis(
                device: publicKey,
                certificate: authority.sign(LogEntry.certificateMessage(device: publicKey, nonce: nonce)),
                nonce: nonce,
                authority: authority.publicKey
            )
        )
        genesis = entry.signed(vault: nil, by: sign)
        let first = Device(
            publicKey: publicKey,
            sign: sign,
            LogGraph(VaultID(genesis: genesis.payload), scheme)
        )
        try first.take(genesis)
        devices = [first]
        for _ in 1..<max(1, count) { try addDevice() }
        try meet()
    }

    subscript(_ number: Int) -> Device { devices[number] }

    /// Another device begins, which knows what the first one knows.
    @discardableResult
    func addDevice() throws -> Device {
        let device = try stranger(UInt8(devices.count))
        try device.write(.enrol(device: device.publicKey, certificate: certificate(device.publicKey)))
        devices.append(device)
        return device
    }

    /// A reader that has nothing yet.
    func empty() throws -> Device {
        let (publicKey, sign) = Self.keys(99, isKeyed: !scheme.isReal)
        return Device(publicKey: publicKey, sign: sign, LogGraph(VaultID(genesis: genesis.payload), scheme))
    }

    /// A device that nobody admitted, with what the first device has.
    func stranger(_ number: UInt8) throws -> Device {
        let (publicKey, sign) = Self.keys(number, isKeyed: !scheme.isReal)
        let device = Device(publicKey: publicKey, sign: sign, LogGraph(VaultID(genesis: genesis.payload), scheme))
        try device.take(devices[0].log)
        return device
    }

    func certificate(_ publicKey: [UInt8]) -> [UInt8] {
        authority.sign(LogEntry.certificateMessage(device: publicKey, nonce: nonce))
    }

    /// A device is heard of no more.
    func retire(_ device: Device) { devices.removeAll { $0 === device } }

    /// All devices take in what the others have.
    func meet() throws {
        for one in devices { for other in devices where other !== one { try one.take(other.log) } }
    }

    static func keys(_ number: UInt8, isKeyed: Bool) -> ([UInt8], ([UInt8]) -> [UInt8]) {
        let seed = [UInt8](repeating: number &+ 1, count: 32)
        if isKeyed { return (seed, { SignatureScheme.keyedHash($0, seed) }) }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return ([], { _ in [] }) }
        return ([UInt8](key.publicKey.rawRepresentation), { (try? [UInt8](key.signature(for: $0))) ?? [] })
    }
}

extension SignatureScheme {
    /// A signature that anybody can make, and that depends on message and key: for tests with many entries.
    static let keyedHash = Self { signature, message, publicKey in signature == keyedHash(message, publicKey) }

    static func keyedHash(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let hash = Array(SHA256.hash(data: key + message))
        return hash + hash
    }

    var isReal: Bool { !isValid(Self.keyedHash([], []), [], []) }
}

extension LogItemID {
    /// The item with a number.
    static func number(_ number: UInt8) -> LogItemID { LogItemID([UInt8](repeating: number, count: length))! }
}

/// A small generator for schedules that can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
