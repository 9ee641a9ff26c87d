/// A string of the standard with known values; unknown values are kept.
///
/// WebAuthn treats unknown values of its enumerations as absent
/// ([§2.1.1](https://www.w3.org/TR/webauthn-3/#sct-domstring-backwards-compatibility)); a closed enumeration would
/// refuse future browsers.
public protocol OpenString: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    /// Creates a value from any string.
    init(rawValue: String)
}

extension OpenString {
    /// Creates a value from any string.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The string itself.
    public var description: String { rawValue }
}

/// A transport between client and authenticator.
///
/// WebAuthn Level 3, [§5.8.4](https://www.w3.org/TR/webauthn-3/#enum-transport).
public struct AuthenticatorTransport: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// USB.
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
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Part of the client's device.
    public static let platform: Self = "platform"
    /// Roaming, or on another device.
    public static let crossPlatform: Self = "cross-platform"
}

/// Whether user verification is wanted.
///
/// WebAuthn Level 3, [§5.8.6](https://www.w3.org/TR/webauthn-3/#enum-userVerificationRequirement).
public struct UserVerificationRequirement: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Required: the ceremony fails without it.
    public static let required: Self = "required"
    /// Preferred: the request succeeds without it.
    public static let preferred: Self = "preferred"
    /// Discouraged.
    public static let discouraged: Self = "discouraged"
}

/// Whether the credential should be discoverable.
///
/// WebAuthn Level 3, [§5.4.6](https://www.w3.org/TR/webauthn-3/#enum-residentKeyRequirement).
public struct ResidentKeyRequirement: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Required: registration fails without a discoverable credential.
    public static let required: Self = "required"
    /// Discoverable if possible.
    public static let preferred: Self = "preferred"
    /// Preferably not discoverable.
    public static let discouraged: Self = "discouraged"
}

/// The requested attestation.
///
/// WebAuthn Level 3, [§5.4.7](https://www.w3.org/TR/webauthn-3/#enum-attestation-convey).
public struct AttestationConveyancePreference: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// No attestation statement.
    public static let none: Self = "none"
    /// A statement that may be anonymised.
    public static let indirect: Self = "indirect"
    /// The authenticator's own statement.
    public static let direct: Self = "direct"
    /// A statement that may identify the individual device.
    public static let enterprise: Self = "enterprise"
}

/// The kind of authenticator that the relying party expects a person to use.
///
/// WebAuthn Level 3, [§5.8.7](https://www.w3.org/TR/webauthn-3/#enum-hints).
public struct PublicKeyCredentialHint: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A security key.
    public static let securityKey: Self = "security-key"
    /// The client's own device.
    public static let clientDevice: Self = "client-device"
    /// A phone nearby.
    public static let hybrid: Self = "hybrid"
}

/// How much a request may interact with the person.
///
/// Credential Management Level 1, [§2.3.2](https://www.w3.org/TR/credential-management-1/#mediation-requirements).
public struct CredentialMediationRequirement: OpenString {
    /// The wire value.
    public let rawValue: String
    /// Creates a value from any string.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Without any user interface.
    public static let silent: Self = "silent"
    /// With a user interface if needed.
    public static let optional: Self = "optional"
    /// In a form's autofill, or as an automatic upgrade.
    public static let conditional: Self = "conditional"
    /// Always with a user interface.
    public static let required: Self = "required"
}
