public import Foundation

/// Makes requests for security keys of one relying party.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
    /// The RP ID: a domain that names the app.
    public let relyingPartyIdentifier: String

    /// Makes a provider for an RP ID.
    public init(relyingPartyIdentifier: String) { self.relyingPartyIdentifier = relyingPartyIdentifier }

    /// Makes a request for a new credential on a security key.
    ///
    /// - Parameters:
    ///   - challenge: The service's challenge, 16 to 1,024 bytes.
    ///   - displayName: What the person calls themselves.
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

/// Names a credential on a security key.
public final class ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor: NSObject,
    ASAuthorizationPublicKeyCredentialDescriptor
{
    /// How a security key is reached.
    public struct Transport: RawRepresentable, Hashable, Sendable {
        /// WebAuthn's word.
        public var rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Takes any word.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// USB.
        public static let usb = Self("usb")
        /// Near-field communication.
        public static let nfc = Self("nfc")
        /// Bluetooth Low Energy.
        public static let bluetooth = Self("ble")
        /// All that may be tried.
        public static var allSupported: [Self] { [.usb, .nfc, .bluetooth] }
    }

    /// Its identifier, 1 to 1,023 bytes.
    public var credentialID: Data
    /// How it was reachable when it was made.
    public var transports: [Transport]

    /// Names a credential.
    public init(credentialID: Data, transports: [Transport]) {
        self.credentialID = credentialID
        self.transports = transports
    }
}

/// A kind of key that a service takes.
public final class ASAuthorizationPublicKeyCredentialParameters: NSObject, Sendable {
    /// The signature algorithm.
    public let algorithm: ASCOSEAlgorithmIdentifier

    /// Takes an algorithm.
    public init(algorithm: ASCOSEAlgorithmIdentifier) { self.algorithm = algorithm }
}
