public import Foundation

/// The window over which a sheet is shown.
///
/// On Apple's platforms it is the toolkit's window class. Here the agent shows its own window, so the anchor has no
/// content: use any object of this class, or a subclass of your toolkit.
@MainActor
open class ASPresentationAnchor: NSObject {
    /// Creates an anchor.
    public nonisolated override init() { super.init() }
}

/// Provides the window over which a controller's sheet is shown.
@MainActor
public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    /// The window.
    ///
    /// It is called on the main actor before a controller shows a sheet.
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

/// Receives the result of a controller's requests: for each `perform…` exactly one call, on the main actor.
@MainActor
public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    /// A request succeeded: switch over `authorization.credential`.
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    )
    /// No request succeeded: the error is an ``ASAuthorizationError``.
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
    /// The person chose another way to sign in, on tvOS. This method is never called on Linux.
    func authorizationController(
        _ controller: ASAuthorizationController,
        didCompleteWithCustomMethod method: ASAuthorizationCustomMethod
    )
}

// These three methods are optional in Apple's Objective-C protocol, so they have default implementations.
extension ASAuthorizationControllerDelegate {
    /// Does nothing.
    public func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {}
    /// Does nothing.
    public func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {}
    /// Does nothing.
    public func authorizationController(
        _ controller: ASAuthorizationController,
        didCompleteWithCustomMethod method: ASAuthorizationCustomMethod
    ) {}
}

/// Another way to sign in, on tvOS.
///
/// It is never offered on Linux.
public struct ASAuthorizationCustomMethod: RawRepresentable, Hashable, Sendable {
    /// The method's name.
    public var rawValue: String
    /// Creates a method from any name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a method from any name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The account of a television provider.
    public static let videoSubscriberAccount = Self("videoSubscriberAccount")
    /// A purchase that was made before.
    public static let restorePurchase = Self("restorePurchase")
    /// Any other.
    public static let other = Self("other")
}
