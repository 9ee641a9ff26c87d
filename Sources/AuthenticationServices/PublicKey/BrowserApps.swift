public import Foundation

/// The client data of a page, from browser apps.
///
/// On Linux, browsers talk to the agent through an extension, so no API here takes it.
public struct ASPublicKeyCredentialClientData: Hashable, Sendable {
    /// Whether the page is in a frame.
    public enum CrossOriginValue: Hashable, Sendable {
        /// It is in a frame of another origin.
        case crossOrigin
        /// It is in a frame, and all pages around it have the same origin.
        case sameOriginWithAncestors
    }

    /// The page's challenge.
    public var challenge: Data
    /// The page's origin.
    public var origin: String
    /// The origin of the outermost page.
    public var topOrigin: String?
    /// Whether the page is in a frame.
    public var crossOrigin: CrossOriginValue?

    /// Creates client data from the page's values.
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
