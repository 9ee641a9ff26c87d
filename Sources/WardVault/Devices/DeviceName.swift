internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardLog

/// The name of a device, sealed for the members of its circle.
///
/// `Documentation/formats/sync.md`, "Names of devices".
enum DeviceName {
    /// The number of the operation with which a device names itself.
    ///
    /// A reader may ignore it.
    static let operation: UInt64 = 130
    /// The length of a name in UTF-8, in bytes, at most.
    static let maximumLength = 200

    /// The operation with which a device names itself.
    static func entry(_ sealed: [UInt8]) -> LogOperation { .ignorable(operation, [1: .bytes(sealed)]) }

    /// The sealed name in an operation with which a device names itself.
    static func sealed(in operation: LogOperation) -> [UInt8]? {
        guard case .ignorable(Self.operation, let body) = operation else { return nil }
        return body[1]?.bytesValue
    }

    /// A name without the characters that have no place in one, and not longer than allowed.
    static func cleaned(_ name: String) -> String {
        var cleaned = String(String.UnicodeScalarView(name.unicodeScalars.filter { !$0.properties.isControl }))
        while cleaned.utf8.count > maximumLength { cleaned.removeLast() }
        return cleaned.isEmpty ? "device" : cleaned
    }

    /// Seals a name with the current vault key.
    static func seal(
        _ name: String,
        of device: DeviceID,
        _ vault: VaultID,
        _ keys: VaultKeys,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> [UInt8] {
        try Sealing.seal(
            Array(cleaned(name).utf8),
            key: key(keys.key(keys.current), device, vault),
            nonce: environment.random(Sealing.nonceLength),
            associated: associated(device, vault)
        )
    }

    /// Opens a name; `nil` if no vault key opens it.
    static func open(_ sealed: [UInt8], of device: DeviceID, _ vault: VaultID, _ keys: VaultKeys) -> String? {
        let associated = associated(device, vault)
        for name in keys.names.reversed() {
            guard let vaultKey = try? keys.key(name),
                let opened = Sealing.open(sealed, key: key(vaultKey, device, vault), associated: associated)
            else { continue }
            return String(bytes: opened, encoding: .utf8).map { cleaned($0) }
        }
        return nil
    }

    private static func key(_ vaultKey: SymmetricKey, _ device: DeviceID, _ vault: VaultID) -> SymmetricKey {
        vaultKey.derive("ward/v1/device-name", salt: vault.bytes, context: device.bytes)
    }

    private static func associated(_ device: DeviceID, _ vault: VaultID) -> [UInt8] {
        CBORValue.array(["ward", 1, "device-name", .bytes(vault.bytes), .bytes(device.bytes)]).encoded()
    }
}

extension Unicode.Scalar.Properties {
    /// Whether the character controls how text is shown: it could make one name look like another.
    fileprivate var isControl: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
