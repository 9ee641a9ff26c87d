public import Foundation

/// The domain of ``ASExtensionError``.
public let ASExtensionErrorDomain = "ASExtensionErrorDomain"

/// Why a manager did not return a credential.
public struct ASExtensionError: Error, Hashable, Sendable, CustomNSError {
    /// The kind of failure.
    ///
    /// The numbers are Apple's.
    public enum Code: Int, Sendable {
        /// The request failed.
        case failed = 0
        /// The person declined.
        case userCanceled = 1
        /// The request needs a prompt to the person.
        case userInteractionRequired = 100
        /// The credential does not exist.
        case credentialIdentityNotFound = 101
        /// An excluded credential exists.
        case matchedExcludedCredential = 102
    }

    /// The kind of failure.
    public let code: Code
    /// The numeric code.
    public var errorCode: Int { code.rawValue }
    /// ``ASExtensionErrorDomain``.
    public static var errorDomain: String { ASExtensionErrorDomain }

    /// Creates an error from a code.
    public init(_ code: Code) { self.code = code }
}
