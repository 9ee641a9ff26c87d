public import Foundation

/// The client data of a page, for browser apps.
///
/// On Linux, browsers talk to the agent through an extension, so no API of this module accepts this value.
public struct ASPublicKeyCredentialClientData: Hashable, Sendable {
    /// Whether the page is in a frame.
    public enum CrossOriginValue: Hashable, Sendable {
        /// The page is in a frame of another origin.
        case crossOrigin
        /// The page is in a frame, and all pages around it have the same origin.
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
