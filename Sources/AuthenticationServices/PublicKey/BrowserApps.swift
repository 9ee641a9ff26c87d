public import Foundation

/// The client data of a page, which browser apps pass on.
///
/// Browsers speak to the agent through their extension here, so nothing takes it.
public struct ASPublicKeyCredentialClientData: Hashable, Sendable {
    /// Whether the page stands in another one.
    public enum CrossOriginValue: Hashable, Sendable {
        /// It does.
        case crossOrigin
        /// It does, but of the same origin all the way up.
        case sameOriginWithAncestors
    }

    /// The page's challenge.
    public var challenge: Data
    /// The page's origin.
    public var origin: String
    /// The origin of the page around it.
    public var topOrigin: String?
    /// Whether the page stands in another one.
    public var crossOrigin: CrossOriginValue?

    /// Takes what the page said.
    public init(
        challenge: Data,
        origin: String,
        topOrigin: String? = nil,
        crossOrigin: CrossOriginValue? = nil
    ) {
        self.challenge = challenge
        self.origin = origin
        self.topOrigin = topOrigin
        self.crossOrigin = crossOrigin
    }
}
