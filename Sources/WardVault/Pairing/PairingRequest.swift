internal import Crypto
internal import WardCBOR
package import WardLog

/// What a new device writes into a folder, so that a member of a circle admits it.
///
/// Everybody who can write into the folder can write a request. So a person compares the ``words`` with those on the screen of
/// the new device. `Documentation/formats/sync.md`, "Pairing by file".
package struct PairingRequest: Sendable, Hashable {
    /// The public keys of the new device.
    package let device: CircleDevice
    /// The name of the new device, which somebody else chose: print it with care.
    package let name: String
    /// The operating system of the new device, which somebody else wrote: print it with care.
    package let system: String
    /// When the request was made, in seconds since 1970 by the clock of the new device.
    package let time: Int64
    /// The first 16 bytes of SHA-256 of ``encoded``.
    package let id: [UInt8]
    /// The bytes of the file.
    package let encoded: [UInt8]

    /// The longest request, in bytes.
    package static let maximumLength = 4_096
    /// The length of ``id``, in bytes.
    package static let idLength = 16
    /// How long a request is offered to a person, in seconds: 7 days.
    package static let lifetime: Int64 = 7 * 86_400

    /// Reads a request and checks everything that it says, with its signature.
    ///
    /// - Throws: ``VaultError`` with `damaged`, or with `unknownVersion` for a later version or another suite.
    package init(encoded: [UInt8]) throws(VaultError) {
        let damaged = PairingMessage.Kind.request.damaged
        let (payload, signature) = try PairingMessage(encoded, as: .request).parts
        guard let map = try? CBORValue.decode(payload), let publicKey = map[1]?.bytesValue,
            case .unsigned(let suite)? = map[2], let sealingKey = map[3]?.bytesValue,
            let name = map[4]?.textValue, Self.isLabel(name), let system = map[5]?.textValue, Self.isLabel(system),
            case .unsigned(let seconds)? = map[6], let time = Int64(exactly: seconds)
        else { throw damaged }
        guard suite == DeviceKeys.suite.rawValue else {
            throw VaultError(
                .unknownVersion,
                "The new device has a later version of Ward (suite \(suite)): update Ward"
            )
        }
        guard SignatureScheme.inForce.isValid(signature, Self.message(payload), publicKey),
            DeviceKeys.suite.isPublicKey(sealingKey)
        else { throw damaged }
        device = CircleDevice(publicKey: publicKey, suite: suite, sealingKey: sealingKey)
        self.name = name
        self.system = system
        self.time = time
        self.encoded = encoded
        id = Array(SHA256.hash(data: encoded).prefix(Self.idLength))
    }

    /// Makes the request of a new device.
    ///
    /// - Throws: ``VaultError`` with `unavailable` for a name or a system that no reader takes, or if signing fails.
    init(
        _ key: SigningSeed,
        _ keys: DeviceKeys,
        name: String,
        system: String,
        time: Int64
    ) throws(VaultError) {
        guard Self.isLabel(name), Self.isLabel(system) else {
            throw VaultError(.unavailable, "The name of a device has 1 to 200 bytes, and no control characters")
        }
        let map: CBORValue = [
            1: .bytes(key.publicKey), 2: .unsigned(DeviceKeys.suite.rawValue), 3: .bytes(keys.publicKey),
            4: .text(name), 5: .text(system), 6: .integer(time),
        ]
        let payload = map.encoded()
        let signature = try key.sign(Self.message(payload))
        try self.init(encoded: PairingMessage(payload, signature).encoded(as: .request))
    }

    /// The words that a person compares on both screens.
    package var words: [String] { PairingWords.of(encoded) }

    /// Whether the request is too old to be offered.
    package func isOld(_ now: Int64) -> Bool { now > Self.lifetime && time < now - Self.lifetime }

    /// Whether a text can be the name of a device, or of its system.
    ///
    /// It has 1 to 200 bytes of UTF-8, and no control character.
    package static func isLabel(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// What the new device signs.
    static func message(_ payload: [UInt8]) -> [UInt8] { Array("ward/v1/pairing/request".utf8) + [0] + payload }
}
