internal import WardCBOR
public import WardWebAuthn

/// The input of `hmac-secret` at sign-in, and of `hmac-secret-mc` when a credential is made: salts that only the authenticator
/// can read.
///
/// ``seal(_:to:using:effects:)`` makes it, ``open(with:)`` reads it. CTAP 2.3, sections 12.5 and 12.6.
public struct HMACSecretInput: Hashable, Sendable {
    /// The client's half of the key agreement.
    public var keyAgreement: KeyAgreementKey
    /// One or two salts, encrypted.
    public var saltEnc: [UInt8]
    /// What proves that nobody changed them.
    public var saltAuth: [UInt8]
    /// The protocol of all three; absent means one.
    public var pinUVAuthProtocol: PINUVAuthProtocol?

    /// Puts an input together.
    public init(
        keyAgreement: KeyAgreementKey,
        saltEnc: [UInt8],
        saltAuth: [UInt8],
        pinUVAuthProtocol: PINUVAuthProtocol?
    ) {
        self.keyAgreement = keyAgreement
        self.saltEnc = saltEnc
        self.saltAuth = saltAuth
        self.pinUVAuthProtocol = pinUVAuthProtocol
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        keyAgreement = try reader.required(0x01) { value throws(CTAPStatus) in try KeyAgreementKey(value) }
        saltEnc = try reader.required(0x02) { value throws(CTAPStatus) in try value.asBytes() }
        saltAuth = try reader.required(0x03) { value throws(CTAPStatus) in try value.asBytes() }
        pinUVAuthProtocol = try reader.value(0x04) { value throws(CTAPStatus) in try PINUVAuthProtocol(value) }
    }

    var value: CBORValue {
        var writer = MessageWriter()
        writer.put(0x01, keyAgreement.value)
        writer.put(0x02, .bytes(saltEnc))
        writer.put(0x03, .bytes(saltAuth))
        writer.put(0x04, pinUVAuthProtocol?.value)
        return writer.value
    }
}

extension CTAPExtensions {
    /// The input of ``Identifier/hmacSecret`` at sign-in, or of ``Identifier/hmacSecretMC`` when a credential is made.
    ///
    /// - Parameter identifier: Which of the two.
    /// - Returns: The input, or `nil` where there is none.
    /// - Throws: ``CTAPStatus`` when it is none.
    public func hmacSecretInput(_ identifier: Identifier) throws(CTAPStatus) -> HMACSecretInput? {
        guard let value = self[identifier] else { return nil }
        return try HMACSecretInput(value)
    }

    /// Sets the input of ``Identifier/hmacSecret`` or ``Identifier/hmacSecretMC``.
    public mutating func set(hmacSecretInput input: HMACSecretInput, as identifier: Identifier) {
        self[identifier] = input.value
    }

    /// The encrypted results of ``Identifier/hmacSecret`` at sign-in, or of ``Identifier/hmacSecretMC``.
    ///
    /// - Parameter identifier: Which of the two.
    /// - Returns: What ``PINUVSharedSecret/decrypt(_:)`` opens, or `nil` where there is none.
    /// - Throws: ``CTAPStatus`` when it is none.
    public func hmacSecretOutput(_ identifier: Identifier) throws(CTAPStatus) -> [UInt8]? {
        guard let value = self[identifier] else { return nil }
        return try value.asBytes()
    }
}

extension HMACSecretInput {
    /// Encrypts salts for an authenticator, as clients do.
    ///
    /// - Parameters:
    ///   - salts: One or two salts.
    ///   - authenticator: What ``ClientPINResponse/keyAgreement`` brought.
    ///   - pinUVAuthProtocol: One of the two protocols, best the first of ``AuthenticatorInfo/pinUVAuthProtocols``.
    ///   - effects: Where the random vector of protocol two comes from.
    /// - Returns: The input, and the secret that opens the results.
    /// - Throws: ``CTAPStatus/invalidParameter`` when the key or the protocol is none.
    public static func seal(
        _ salts: PRFSalts,
        to authenticator: KeyAgreementKey,
        using pinUVAuthProtocol: PINUVAuthProtocol,
        effects: Effects = .live
    ) throws(CTAPStatus) -> (input: HMACSecretInput, secret: PINUVSharedSecret) {
        let (platformKey, secret) = try PINUVSharedSecret.encapsulate(to: authenticator, using: pinUVAuthProtocol)
        let saltEnc = try secret.encrypt(salts.joined, effects: effects)
        let input = HMACSecretInput(
            keyAgreement: platformKey,
            saltEnc: saltEnc,
            saltAuth: secret.authenticate(saltEnc),
            pinUVAuthProtocol: pinUVAuthProtocol
        )
        return (input, secret)
    }

    /// Decrypts the salts, as authenticators do.
    ///
    /// - Parameter agreement: The authenticator's key pair.
    /// - Returns: The salts, and the secret to encrypt the results with.
    /// - Throws: ``CTAPStatus/pinAuthInvalid`` when the salts were changed, ``CTAPStatus/invalidLength`` when they are
    ///   neither one nor two, ``CTAPStatus/invalidParameter`` for an unknown protocol or a key that is none.
    public func open(
        with agreement: PINUVKeyAgreement
    ) throws(CTAPStatus) -> (salts: PRFSalts, secret: PINUVSharedSecret) {
        let secret = try agreement.decapsulate(keyAgreement, using: pinUVAuthProtocol ?? .one)
        guard secret.verify(saltEnc, signature: saltAuth) else { throw .pinAuthInvalid }
        guard let salts = PRFSalts(joined: try secret.decrypt(saltEnc)) else { throw .invalidLength }
        return (salts, secret)
    }
}
