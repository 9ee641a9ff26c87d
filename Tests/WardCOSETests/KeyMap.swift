import WardCBOR
import WardCOSE

/// A COSE_Key as a dictionary, valid at first, from which tests break one thing.
struct KeyMap: Sendable {
    var parameters: [CBORValue: CBORValue]

    var encoded: [UInt8] {
        CBORValue.map(parameters.map { CBORPair(key: $0.key, value: $0.value) }).encoded()
    }

    subscript(label: CBORValue) -> CBORValue? {
        get { parameters[label] }
        set { parameters[label] = newValue }
    }

    /// The same map with one thing changed.
    func with(_ change: (inout KeyMap) -> Void) -> KeyMap {
        var copy = self
        change(&copy)
        return copy
    }

    /// The base point of P-256, which is as good a public key as any other.
    static let es256 = KeyMap(parameters: [
        1: 2, 3: -7, -1: 1,
        -2: .bytes(hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")),
        -3: .bytes(hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")),
    ])

    /// The base point of P-384.
    static let es384 = KeyMap(parameters: [
        1: 2, 3: -35, -1: 2,
        -2: .bytes(
            hex("aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7")
        ),
        -3: .bytes(
            hex("3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f")
        ),
    ])

    /// A key that was made here, and its algorithm's other fields.
    static func made(_ algorithm: COSEAlgorithmIdentifier) throws -> KeyMap {
        let key = try COSEPrivateKey.generate(algorithm).publicKey
        let pairs = try CBORValue.decode(key.encoded).mapValue ?? []
        return KeyMap(parameters: Dictionary(pairs.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
    }

    /// The key of RFC 8032, section 7.1, test 1.
    static let edDSA = KeyMap(parameters: [
        1: 1, 3: -8, -1: 6, -2: .bytes(hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")),
    ])

    static let rs256 = KeyMap(parameters: [
        1: 3, 3: -257, -1: .bytes(OpenSSLFixture.modulus), -2: .bytes([1, 0, 1]),
    ])

    /// Bytes of the right length; no ML-DSA public key is malformed otherwise.
    static let mlDSA65 = KeyMap(parameters: [1: 7, 3: -49, -1: .bytes([UInt8](repeating: 5, count: 1952))])

    /// An odd number of so many bits.
    static func modulus(bits: Int) -> CBORValue {
        var bytes = [UInt8](repeating: 0xff, count: (bits + 7) / 8)
        bytes[0] = 0xff >> UInt8((8 - bits % 8) % 8)
        return .bytes(bytes)
    }
}
