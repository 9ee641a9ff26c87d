/// A string of the standard's with known values, which keeps what it does not know.
///
/// WebAuthn reads unknown values of its enumerations as if they were absent
/// ([§2.1.1](https://www.w3.org/TR/webauthn-3/#sct-domstring-backwards-compatibility)); a closed enumeration would refuse
/// tomorrow's browsers.
public protocol OpenString: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    /// Takes any string.
    init(rawValue: String)
}

extension OpenString {
    /// Takes any string.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The string itself.
    public var description: String { rawValue }
}

/// How clients may reach an authenticator.
///
/// WebAuthn Level 3, [§5.8.4](https://www.w3.org/TR/webauthn-3/#enum-transport).
public struct AuthenticatorTransport: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Removable, over USB.
    public static let usb: Self = "usb"
    /// Near-field communication.
    public static let nfc: Self = "nfc"
    /// Bluetooth Low Energy.
    public static let ble: Self = "ble"
    /// A smart card with contacts.
    public static let smartCard: Self = "smart-card"
    /// Another device nearby, such as a phone that read a QR code.
    public static let hybrid: Self = "hybrid"
    /// Part of the client's device.
    public static let `internal`: Self = "internal"
}

/// Whether an authenticator is part of the client's device.
///
/// WebAuthn Level 3, [§5.4.5](https://www.w3.org/TR/webauthn-3/#enum-attachment).
public struct AuthenticatorAttachment: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Part of the client's device.
    public static let platform: Self = "platform"
    /// Roaming, or on another device.
    public static let crossPlatform: Self = "cross-platform"
}

/// Whether the authenticator shall verify the person.
///
/// WebAuthn Level 3, [§5.8.6](https://www.w3.org/TR/webauthn-3/#enum-userVerificationRequirement).
public struct UserVerificationRequirement: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The ceremony fails without it.
    public static let required: Self = "required"
    /// Wanted, but not at the price of failing.
    public static let preferred: Self = "preferred"
    /// Not wanted.
    public static let discouraged: Self = "discouraged"
}

/// Whether the credential shall be discoverable.
///
/// WebAuthn Level 3, [§5.4.6](https://www.w3.org/TR/webauthn-3/#enum-residentKeyRequirement).
public struct ResidentKeyRequirement: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A discoverable credential or none.
    public static let required: Self = "required"
    /// Discoverable where possible.
    public static let preferred: Self = "preferred"
    /// Better not discoverable.
    public static let discouraged: Self = "discouraged"
}

/// Which statement about the authenticator is wanted.
///
/// WebAuthn Level 3, [§5.4.7](https://www.w3.org/TR/webauthn-3/#enum-attestation-convey).
public struct AttestationConveyancePreference: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// No statement.
    public static let none: Self = "none"
    /// One that may be made anonymous.
    public static let indirect: Self = "indirect"
    /// The authenticator's own.
    public static let direct: Self = "direct"
    /// One that may identify the very device.
    public static let enterprise: Self = "enterprise"
}

/// What interface the relying party expects a person to use, best first.
///
/// WebAuthn Level 3, [§5.8.7](https://www.w3.org/TR/webauthn-3/#enum-hints).
public struct PublicKeyCredentialHint: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A security key.
    public static let securityKey: Self = "security-key"
    /// The client's own device.
    public static let clientDevice: Self = "client-device"
    /// A phone nearby.
    public static let hybrid: Self = "hybrid"
}

/// How a request shows itself.
///
/// Credential Management Level 1, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
public struct CredentialMediationRequirement: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Without any interface.
    public static let silent: Self = "silent"
    /// With an interface where one is needed.
    public static let optional: Self = "optional"
    /// In the form's autofill, or as an automatic upgrade.
    public static let conditional: Self = "conditional"
    /// Always with an interface.
    public static let required: Self = "required"
}
