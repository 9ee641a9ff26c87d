internal import Crypto
internal import Foundation
internal import WardCBOR
internal import WardRistretto

/// What a device says of itself in the clear, and CPace authenticates.
struct MeetingParty: Hashable, Sendable {
    /// Who a device is in a meeting.
    enum Role: String, Sendable {
        /// It comes with the code: A of CPace.
        case newDevice = "new-device"
        /// It made the code: B of CPace.
        case member
    }

    let role: Role
    /// An X25519 key of this meeting alone, to which the other device encrypts.
    let publicKey: [UInt8]
    /// SHA-256 of the new device's request; empty for a member.
    ///
    /// So the new device chose its request before it knew the key, and sends that one.
    let requestHash: [UInt8]

    /// The associated data of CPace.
    var encoded: [UInt8] {
        var parts: [CBORValue] = ["ward", 1, .text(role.rawValue), .bytes(publicKey)]
        if role == .newDevice { parts.append(.bytes(requestHash)) }
        return CBORValue.array(parts).encoded()
    }

    init(_ role: Role, publicKey: [UInt8], requestHash: [UInt8] = []) {
        self.role = role
        self.publicKey = publicKey
        self.requestHash = requestHash
    }

    /// Reads the associated data of the other device, which must have the role.
    ///
    /// - Throws: ``PairingFault`` with `malformed`.
    init(_ encoded: [UInt8], as role: Role) throws(PairingFault) {
        let rules = CBORRules(maximumDepth: 1, maximumItems: 8, maximumLength: 64)
        let count = role == .newDevice ? 5 : 4
        guard let parts = try? CBORValue.decode(encoded, rules: rules).arrayValue, parts.count == count,
            parts[0] == "ward", parts[1] == 1, parts[2] == .text(role.rawValue), let key = parts[3].bytesValue,
            key.count == CircleSuite.x25519.publicKeyLength
        else { throw PairingFault(.malformed) }
        var hash: [UInt8] = []
        if role == .newDevice {
            guard let bytes = parts[4].bytesValue, bytes.count == SHA256.byteCount else {
                throw PairingFault(.malformed)
            }
            hash = bytes
        }
        self.init(role, publicKey: key, requestHash: hash)
    }
}

/// What both devices put into CPace before they send a share.
struct MeetingPlace: Hashable, Sendable {
    /// The server as devices reach it.
    let host: String
    /// The number of the meeting.
    let meeting: Int
    /// The random bytes of both: those of the member, then those of the new device.
    let session: [UInt8]

    /// The kind of the secret: eight digits.
    ///
    /// Number 2 is for 16 random bytes, which a picture could carry.
    private static let digits: UInt64 = 1

    /// The inputs of CPace.
    ///
    /// The channel names the version, the kind of the secret, the server and the meeting.
    func inputs(_ code: PairingCode) -> CPace.Inputs {
        let channel: CBORValue = [
            "ward", 1, "meeting", .unsigned(Self.digits), .text(host), .unsigned(UInt64(max(0, meeting))),
        ]
        return CPace.Inputs(code: code.secret, channel: channel.encoded(), session: session)
    }
}

/// What encrypts between two devices after CPace: HPKE with the key of CPace as pre-shared key (RFC 9180, section 5.1.2).
///
/// The X25519 keys are of this meeting alone. There is one message in each direction.
struct MeetingChannel: Sendable {
    private let own: HPKEKeyPair
    private let other: [UInt8]
    private let key: SymmetricKey
    private let session: [UInt8]

    init(_ own: HPKEKeyPair, _ other: MeetingParty, _ key: CPaceKey, session: [UInt8]) {
        self.own = own
        self.other = other.publicKey
        self.session = session
        // Not the key of CPace itself: it also made the tags.
        self.key = unsafe key.intermediate.withBytes { unsafe SymmetricKey(data: $0) }
            .derive("ward/v1/meeting/channel", salt: session, context: [])
    }

    /// Encrypts the one message of this device.
    ///
    /// - Parameters:
    ///   - plaintext: What the other device gets.
    ///   - role: The role of this device.
    /// - Returns: HPKE's encapsulation, and the ciphertext.
    /// - Throws: ``PairingFault`` with `malformed` if the key of the other device is none.
    func seal(_ plaintext: [UInt8], as role: MeetingParty.Role) throws(PairingFault) -> (
        encapsulation: [UInt8], ciphertext: [UInt8]
    ) {
        do {
            return try CircleSuite.sealX25519(plaintext, to: other, info: info(role), key, identifier: session)
        } catch {
            throw PairingFault(.malformed)
        }
    }

    /// Decrypts the one message of the other device; the caller must wipe it.
    ///
    /// - Throws: ``PairingFault`` with `codesDiffer`: somebody changed the message.
    func open(
        _ ciphertext: [UInt8],
        _ encapsulation: [UInt8],
        of role: MeetingParty.Role
    ) throws(PairingFault) -> [UInt8] {
        var seed = own.bytes
        defer { seed.wipe() }
        do {
            return try CircleSuite.openX25519(
                ciphertext,
                encapsulation,
                with: seed,
                info: info(role),
                key,
                identifier: session
            )
        } catch {
            throw PairingFault(.codesDiffer)
        }
    }

    /// HPKE's `info`: who sends.
    private func info(_ role: MeetingParty.Role) -> [UInt8] {
        let value: CBORValue = ["ward", 1, "meeting-channel", .text(role.rawValue)]
        return value.encoded()
    }
}

extension CircleSuite {
    private static let x25519Ciphersuite = HPKE.Ciphersuite(
        kem: .Curve25519_HKDF_SHA256,
        kdf: .HKDF_SHA256,
        aead: .AES_GCM_256
    )

    /// Seals one message with suite 1 and a pre-shared key.
    ///
    /// swift-crypto has this mode for X25519 and not for X-Wing.
    fileprivate static func sealX25519(
        _ plaintext: [UInt8],
        to publicKey: [UInt8],
        info: [UInt8],
        _ key: SymmetricKey,
        identifier: [UInt8]
    ) throws -> (encapsulation: [UInt8], ciphertext: [UInt8]) {
        let recipient = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
        try check(recipient, with: Curve25519.KeyAgreement.PrivateKey())
        var context = try HPKE.Sender(
            recipientKey: recipient,
            ciphersuite: x25519Ciphersuite,
            info: Data(info),
            presharedKey: key,
            presharedKeyIdentifier: Data(identifier)
        )
        let ciphertext = [UInt8](try context.seal(plaintext))
        return ([UInt8](context.encapsulatedKey), ciphertext)
    }

    /// Opens one message with suite 1 and a pre-shared key.
    fileprivate static func openX25519(
        _ ciphertext: [UInt8],
        _ encapsulation: [UInt8],
        with seed: [UInt8],
        info: [UInt8],
        _ key: SymmetricKey,
        identifier: [UInt8]
    ) throws -> [UInt8] {
        let own = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: seed)
        try check(Curve25519.KeyAgreement.PublicKey(rawRepresentation: encapsulation), with: own)
        var context = try HPKE.Recipient(
            privateKey: own,
            ciphersuite: x25519Ciphersuite,
            info: Data(info),
            encapsulatedKey: Data(encapsulation),
            presharedKey: key,
            presharedKeyIdentifier: Data(identifier)
        )
        var opened = try context.open(ciphertext)
        return opened.takeBytes()
    }
}
