internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// The file with the last log entry that this device saw.
///
/// With it the device detects an older vault file.
///
/// Two slots are written in turn. So after a power cut one of them is intact. `Documentation/formats/vault.md`, "This device".
struct HeadFile {
    /// The position and the hash of an entry.
    struct Head: Hashable, Sendable {
        var position: Int64
        var hash: [UInt8]
    }

    static let slotLength = 256
    private let path: String
    private let vault: VaultID
    private let device: DeviceID
    private let key: SymmetricKey
    private(set) var generation: UInt64
    /// The last entry that this device saw.
    private(set) var head: Head
    /// The hash of the entry that begins the circle of devices; `nil` if this device knows of no circle.
    private(set) var circle: [UInt8]?
    /// The hash of this device's own last entry; `nil` if the file does not tell.
    private(set) var own: [UInt8]?

    /// Reads the file.
    ///
    /// It is `nil` if this device has written none for this vault.
    init?(_ path: String, _ vault: VaultID, _ device: DeviceID, _ keys: VaultKeys) throws(VaultError) {
        self.path = path
        self.vault = vault
        self.device = device
        let key = try keys.first.derive("ward/v1/head", salt: vault.bytes, context: device.bytes)
        self.key = key
        let bytes = (try? SmallFile.read(path, limit: 2 * Self.slotLength)) ?? []
        let slots = [bytes.prefix(Self.slotLength), bytes.dropFirst(Self.slotLength)]
        let found = slots.compactMap { Self.read(Array($0), vault, device, key) }
        guard let latest = found.max(by: { $0.generation < $1.generation }) else { return nil }
        (generation, head, circle, own) = latest
    }

    init(
        creating path: String,
        _ vault: VaultID,
        _ device: DeviceID,
        _ keys: VaultKeys,
        head: Head,
        circle: [UInt8]? = nil,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        self.path = path
        self.circle = circle
        self.vault = vault
        self.device = device
        self.head = head
        generation = 0
        key = try keys.first.derive("ward/v1/head", salt: vault.bytes, context: device.bytes)
        let slot = slot()
        try SmallFile.replace(path, with: slot + [UInt8](repeating: 0, count: Self.slotLength), environment)
    }

    /// Records the last entry, and the last one of this device.
    ///
    /// It is on the disk when this call returns.
    mutating func advance(to head: Head, own: [UInt8]?, _ environment: VaultEnvironment) throws(VaultError) {
        try write(environment) { ($0.head, $0.own) = (head, own) }
    }

    /// Records which entry begins the circle of devices.
    ///
    /// It is recorded before the entry is in the file: without it the entry would be an unknown one.
    mutating func pin(_ circle: [UInt8]?, _ environment: VaultEnvironment) throws(VaultError) {
        try write(environment) { $0.circle = circle }
    }

    private mutating func write(
        _ environment: VaultEnvironment,
        _ change: (inout HeadFile) -> Void
    ) throws(VaultError) {
        let before = self
        change(&self)
        generation += 1
        do throws(VaultError) {
            try environment.willWrite(.head)
            let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw SmallFile.refusal("writing", path) }
            defer { _ = close(descriptor) }
            let offset = generation % 2 == 0 ? 0 : Self.slotLength
            guard SmallFile.write(slot(), to: descriptor, at: offset), fdatasync(descriptor) == 0 else {
                throw SmallFile.refusal("writing", path)
            }
        } catch {
            self = before
            throw error
        }
    }

    /// The form of a slot: an array, its authentication code, and zeros.
    ///
    /// With a circle it has version 2.
    private func slot() -> [UInt8] {
        var parts: [CBORValue] = [
            "ward", circle == nil ? 1 : 2, "head", .bytes(vault.bytes), .bytes(device.bytes), .unsigned(generation),
            [[.integer(head.position), .bytes(head.hash)]],
        ]
        if let circle { parts += [circle, own].compactMap { $0.map { .bytes($0) } } }
        let body = CBORValue.array(parts).encoded()
        let mac = Array(HMAC<SHA256>.authenticationCode(for: body, using: key))
        let slot = CBORValue.array([.bytes(body), .bytes(mac)]).encoded()
        return slot + [UInt8](repeating: 0, count: max(0, Self.slotLength - slot.count))
    }

    /// The circle that the file names, before a key is known that confirms it.
    ///
    /// It serves only to read a log before the vault is open.
    static func unconfirmedCircle(_ path: String) -> [UInt8]? {
        let bytes = (try? SmallFile.read(path, limit: 2 * slotLength)) ?? []
        let slots = [bytes.prefix(slotLength), bytes.dropFirst(slotLength)]
        return slots.compactMap { parts(Array($0)) }.max { $0.generation < $1.generation }?.circle
    }

    private static func read(
        _ slot: [UInt8],
        _ vault: VaultID,
        _ device: DeviceID,
        _ key: SymmetricKey
    ) -> (generation: UInt64, head: Head, circle: [UInt8]?, own: [UInt8]?)? {
        guard let parts = parts(slot), parts.vault == vault.bytes, parts.device == device.bytes,
            HMAC<SHA256>.isValidAuthenticationCode(parts.mac, authenticating: parts.body, using: key)
        else { return nil }
        return (parts.generation, parts.head, parts.circle, parts.own)
    }

    /// The parts of a slot, which nothing confirms yet.
    private struct Parts {
        var body: [UInt8]
        var mac: [UInt8]
        var vault: [UInt8]
        var device: [UInt8]
        var generation: UInt64
        var head: Head
        var circle: [UInt8]?
        var own: [UInt8]?
    }

    private static func parts(_ slot: [UInt8]) -> Parts? {
        let input = slot.span
        var reader = CBORReader()
        guard slot.count == slotLength, let value = try? reader.readValue(input), let outer = value.arrayValue,
            outer.count == 2, let body = outer[0].bytesValue, let mac = outer[1].bytesValue,
            slot.dropFirst(reader.offset).allSatisfy({ $0 == 0 }),
            let parts = try? CBORValue.decode(body).arrayValue, parts.count >= 7, parts[0] == "ward",
            parts[1] == 1 && parts.count == 7 || parts[1] == 2 && [8, 9].contains(parts.count), parts[2] == "head",
            let vault = parts[3].bytesValue, let device = parts[4].bytesValue,
            case .unsigned(let generation) = parts[5], let heads = parts[6].arrayValue, heads.count == 1,
            let pair = heads[0].arrayValue, pair.count == 2, let position = pair[0].integerValue,
            let hash = pair[1].bytesValue, hash.count == LogEntry.hashLength
        else { return nil }
        let hashes = parts[7...].compactMap { $0.bytesValue }.filter { $0.count == LogEntry.hashLength }
        guard hashes.count == parts.count - 7 else { return nil }
        return Parts(
            body: body,
            mac: mac,
            vault: vault,
            device: device,
            generation: generation,
            head: Head(position: position, hash: hash),
            circle: hashes.first,
            own: hashes.count > 1 ? hashes[1] : nil
        )
    }
}
