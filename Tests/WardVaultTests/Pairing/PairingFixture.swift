import Crypto
import WardCBOR
import WardLog
import WardTesting

@testable import WardVault

/// A new device, and a member of a circle that answers it.
struct PairingFixture {
    let environment: VaultEnvironment
    let vault = VaultID(genesis: [1])
    let pending: PendingDevice
    let secretKey: SecretKey
    let derivation: KeyDerivation

    init(now: Int64 = 1_700_000_000) throws {
        environment = VaultEnvironment(
            effects: TestEffects(now: now).effects,
            stretch: { Array(SHA256.hash(data: $0 + $1)) },
            checkpointDelay: nil
        )
        pending = try PendingDevice(name: "Laptop", system: "Debian GNU/Linux 12", environment)
        secretKey = try SecretKey(effects: environment.effects)
        derivation = KeyDerivation(salt: try environment.random(KeyDerivation.saltLength))
    }

    var request: PairingRequest { pending.request }

    /// Another new device.
    func otherDevice() throws -> PendingDevice {
        try PendingDevice(name: "Phone", system: "postmarketOS", environment)
    }

    /// The keys of a passphrase and a Secret Key.
    func unlock(
        _ words: String = VaultFixture.words,
        _ secretKey: SecretKey? = nil,
        _ vault: VaultID? = nil,
        _ derivation: KeyDerivation? = nil
    ) throws -> VaultHeader.UnlockKeys {
        let derivation = derivation ?? self.derivation
        let stretched = try environment.stretch(VaultFixture.passphrase(words), derivation)
        return VaultHeader.UnlockKeys(stretched, secretKey ?? self.secretKey, vault ?? self.vault, derivation)
    }

    /// What the member says.
    func reply(heads: Int = 3) -> PairingReply {
        PairingReply(
            vault: vault,
            root: Self.hash(1),
            secretKey: secretKey,
            headerHash: Self.hash(2),
            heads: (0..<heads).map { number in
                let device = DeviceID(publicKey: [UInt8(number / 256), UInt8(number % 256)])
                return LogEntry.Seen(device: device, sequence: UInt64(number) + 1, hash: Self.hash(3))
            }
        )
    }

    func sealed() throws -> [UInt8] { try reply().sealed(for: request, with: unlock()) }

    static func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: LogEntry.hashLength) }

    // MARK: What others can write

    /// A request with another payload, and a right signature.
    func request(_ change: (inout [CBORValue: CBORValue]) -> Void) throws -> [UInt8] {
        let payload = try PairingMessage(request.encoded, as: .request).parts.0
        var map: [CBORValue: CBORValue] = [:]
        for pair in try CBORValue.decode(payload).mapValue ?? [] { map[pair.key] = pair.value }
        change(&map)
        return try request(payload: CBORValue.map(map.map { CBORPair(key: $0.key, value: $0.value) }).encoded())
    }

    /// A request with these bytes as payload, and a right signature.
    func request(payload: [UInt8]) throws -> [UInt8] {
        let signature = try pending.key.sign(PairingRequest.message(payload))
        return PairingMessage(payload, signature).encoded(as: .request)
    }

    /// The fields of a reply, in plaintext.
    func plaintext(_ change: (inout [CBORValue: CBORValue]) -> Void = { _ in }) throws -> [UInt8] {
        let opened = try PairingReply(sealed(), for: pending)
        var map: [CBORValue: CBORValue] = [:]
        for pair in try CBORValue.decode(opened.encoded(with: opened.mac)).mapValue ?? [] { map[pair.key] = pair.value }
        change(&map)
        return CBORValue.map(map.map { CBORPair(key: $0.key, value: $0.value) }).encoded()
    }

    /// A reply with this plaintext, which anybody can seal to the new device.
    func forged(_ plaintext: [UInt8]) throws -> [UInt8] {
        let info: CBORValue = ["ward", 1, "pairing-reply", .bytes(request.id)]
        let sealed = try CircleSuite.xWing.seal(plaintext, to: request.device.sealingKey, info: info.encoded())
        return PairingMessage(sealed.encapsulation, sealed.ciphertext).encoded(as: .reply)
    }
}

extension [UInt8] {
    /// A message with another element.
    func replacing(_ index: Int, with value: CBORValue) throws -> [UInt8] {
        guard var elements = try CBORValue.decode(self, rules: .long).arrayValue else { return self }
        if index < elements.count { elements[index] = value } else { elements.append(value) }
        return CBORValue.array(elements).encoded()
    }
}

extension CBORRules {
    static let long = CBORRules(maximumDepth: 8, maximumItems: 65_536)
}
