import Crypto
import WardLog
import WardTesting
import WardWebAuthn

@testable import WardVault

/// A vault and a device, and keys that are sealed for them.
struct CircleFixture {
    let environment = VaultEnvironment(
        effects: TestEffects().effects,
        stretch: { Array(SHA256.hash(data: $0 + $1)) },
        checkpointDelay: nil
    )
    let vault = VaultID(genesis: [1])
    let device = DeviceID(publicKey: [1])
    let epoch: UInt64 = 3
    let secrets: CircleSecrets

    init() throws {
        secrets = try CircleSecrets(
            vaultKey: LockedBytes(environment.random(32)),
            secretKey: SecretKey(effects: environment.effects)
        )
    }

    /// A new key pair.
    func pair(_ suite: CircleSuite) throws -> HPKEKeyPair {
        var seed = try environment.random(CircleSuite.seedLength)
        return try HPKEKeyPair(suite, wiping: &seed)
    }

    /// The secrets, sealed to the device.
    func sealed(to pair: HPKEKeyPair) throws -> CircleSealedKey {
        try secrets.sealed(to: pair.recipient(device.bytes), vault: vault, epoch: epoch)
    }

    /// What the device opens.
    func opened(_ sealed: [CircleSealedKey], with pair: HPKEKeyPair) throws -> CircleSecrets? {
        try CircleSecrets.open(sealed, for: device.bytes, with: pair, vault: vault, epoch: epoch)
    }

    /// An environment that draws the same bytes every time.
    static func environment(drawing bytes: [UInt8]) -> VaultEnvironment {
        VaultEnvironment(effects: Effects(now: { 0 }, randomBytes: { _ in bytes }))
    }
}

extension CircleSecrets {
    /// Whether both keys are the same.
    func isSame(as other: CircleSecrets) -> Bool {
        vaultKey.isEqual(to: other.vaultKey) && secretKey.bytes.isEqual(to: other.secretKey.bytes)
    }
}

extension [UInt8] {
    /// The bytes with a different bit changed in each of them.
    func flipped(at index: Int) -> [UInt8] {
        var changed = self
        changed[index] ^= 1 << UInt8(index % 8)
        return changed
    }
}

/// Whether printing, `dump` and debuggers show nothing of a value but this name.
func isHidden(_ value: some CustomStringConvertible, as name: String) -> Bool {
    "\(value)" == name && String(reflecting: value) == name && Mirror(reflecting: value).children.isEmpty
}
