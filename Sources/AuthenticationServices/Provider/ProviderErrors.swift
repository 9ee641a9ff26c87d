public import Foundation

/// The domain of ``ASExtensionError``.
public let ASExtensionErrorDomain = "ASExtensionErrorDomain"

/// Why a manager did not give a credential.
public struct ASExtensionError: Error, Hashable, Sendable, CustomNSError {
    /// What kind of failure it is; the numbers are Apple's.
    public enum Code: Int, Sendable {
        /// It failed.
        case failed = 0
        /// The person said no.
        case userCanceled = 1
        /// The person has to be asked first.
        case userInteractionRequired = 100
        /// There is no such credential.
        case credentialIdentityNotFound = 101
        /// A credential that must not be there is.
        case matchedExcludedCredential = 102
    }

    /// What kind of failure it is.
    public let code: Code
    /// The numeric code.
    public var errorCode: Int { code.rawValue }
    /// ``ASExtensionErrorDomain``.
    public static var errorDomain: String { ASExtensionErrorDomain }

    /// Takes a code.
    public init(_ code: Code) { self.code = code }
}
