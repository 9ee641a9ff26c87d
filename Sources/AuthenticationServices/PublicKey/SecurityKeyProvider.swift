public import Foundation

/// Makes requests for security keys of one relying party.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
    /// The RP ID, a domain that lists the app.
    public let relyingPartyIdentifier: String

    /// Creates a provider for an RP ID.
    public init(relyingPartyIdentifier: String) { self.relyingPartyIdentifier = relyingPartyIdentifier }

    /// Makes a request for a new credential on a security key.
    ///
    /// - Parameters:
    ///   - challenge: The service's challenge, 16 to 1,024 bytes.
    ///   - displayName: The display name.
    ///   - name: The user name.
    ///   - userID: The account's user handle, 1 to 64 bytes.
    /// - Returns: The request.
    public func createCredentialRegistrationRequest(
        challenge: Data,
        displayName: String,
        name: String,
        userID: Data
    ) -> ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest {
        ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest(
            provider: self,
            challenge: challenge,
            displayName: displayName,
            name: name,
            userID: userID
        )
    }

    /// Makes a request to sign in with a security key.
    ///
    /// - Parameter challenge: The service's challenge, 16 to 1,024 bytes.
    /// - Returns: The request.
    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest {
        ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest(provider: self, challenge: challenge)
    }
}

/// Identifies a credential on a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor: NSObject,
    ASAuthorizationPublicKeyCredentialDescriptor
{
    /// A transport of a security key.
    public struct Transport: RawRepresentable, Hashable, Sendable {
        /// The value in WebAuthn.
        public var rawValue: String
        /// Creates a transport from any value.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a transport from any value.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// USB.
        public static let usb = Self("usb")
        /// Near-field communication.
        public static let nfc = Self("nfc")
        /// Bluetooth Low Energy.
        public static let bluetooth = Self("ble")
        /// All transports.
        public static var allSupported: [Self] { [.usb, .nfc, .bluetooth] }
    }

    /// The credential ID, 1 to 1,023 bytes.
    public var credentialID: Data
    /// The transports at registration.
    public var transports: [Transport]

    /// Creates a descriptor.
    public init(credentialID: Data, transports: [Transport]) {
        self.credentialID = credentialID
        self.transports = transports
    }
}

/// A signature algorithm that a service accepts.
public final class ASAuthorizationPublicKeyCredentialParameters: NSObject, Sendable {
    /// The signature algorithm.
    public let algorithm: ASCOSEAlgorithmIdentifier

    /// Creates parameters for an algorithm.
    public init(algorithm: ASCOSEAlgorithmIdentifier) { self.algorithm = algorithm }
}
