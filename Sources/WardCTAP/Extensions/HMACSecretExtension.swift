internal import WardCBOR
public import WardWebAuthn

/// The input of `hmac-secret` at sign-in and of `hmac-secret-mc` at registration: encrypted salts that only the
/// authenticator can read.
///
/// ``seal(_:to:using:effects:)`` creates it, ``open(with:)`` reads it. CTAP 2.3, sections 12.5 and 12.6.
public struct HMACSecretInput: Hashable, Sendable {
    /// The client's public key for the key agreement.
    public var keyAgreement: KeyAgreementKey
    /// One or two salts, encrypted.
    public var saltEnc: [UInt8]
    /// The authentication code of the encrypted salts.
    public var saltAuth: [UInt8]
    /// The protocol of the three values; `nil` means protocol one.
    public var pinUVAuthProtocol: PINUVAuthProtocol?

    /// Creates an input.
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
    /// The input of ``Identifier/hmacSecret`` at sign-in, or of ``Identifier/hmacSecretMC`` at registration.
    ///
    /// - Parameter identifier: One of the two.
    /// - Returns: The input, or `nil` if it is absent.
    /// - Throws: ``CTAPStatus`` if it is malformed.
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
    /// - Parameter identifier: One of the two.
    /// - Returns: The ciphertext for ``PINUVSharedSecret/decrypt(_:)``, or `nil` if it is absent.
    /// - Throws: ``CTAPStatus`` if it is malformed.
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
    ///   - authenticator: The key of ``ClientPINResponse/keyAgreement``.
    ///   - pinUVAuthProtocol: One of the two protocols, preferably the first of
    ///     ``AuthenticatorInfo/pinUVAuthProtocols``.
    ///   - effects: The source of protocol two's random initialization vector.
    /// - Returns: The input, and the secret that decrypts the results.
    /// - Throws: ``CTAPStatus/invalidParameter`` if the key or the protocol is not valid.
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
    /// - Returns: The salts, and the secret that encrypts the results.
    /// - Throws: ``CTAPStatus/pinAuthInvalid`` if the salts were changed, ``CTAPStatus/invalidLength`` if they are
    ///   neither one nor two, ``CTAPStatus/invalidParameter`` for an unknown protocol or an invalid key.
    public func open(
        with agreement: PINUVKeyAgreement
    ) throws(CTAPStatus) -> (salts: PRFSalts, secret: PINUVSharedSecret) {
        let secret = try agreement.decapsulate(keyAgreement, using: pinUVAuthProtocol ?? .one)
        guard secret.verify(saltEnc, signature: saltAuth) else { throw .pinAuthInvalid }
        guard let salts = PRFSalts(joined: try secret.decrypt(saltEnc)) else { throw .invalidLength }
        return (salts, secret)
    }
}
