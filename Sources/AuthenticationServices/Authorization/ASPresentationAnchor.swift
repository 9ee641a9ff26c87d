public import Foundation

/// What a sheet is shown over.
///
/// On Apple's platforms it is the window class of the toolkit. Here the agent shows its own window, so the anchor says nothing
/// but that there is one: any object of this class will do, and toolkits may make a subclass.
@MainActor
open class ASPresentationAnchor: NSObject {
    /// Makes an anchor.
    public nonisolated override init() { super.init() }
}

/// Gives the window that a controller's sheet is shown over.
@MainActor
public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    /// The window; asked for on the main actor when a controller starts to show something.
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

/// Takes what a controller's requests came to: for each `perform…` exactly one call, on the main actor.
@MainActor
public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    /// A request succeeded: switch over `authorization.credential`.
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    )
    /// None did: the error is an ``ASAuthorizationError``.
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
    /// The person chose another way, on televisions; never called here.
    func authorizationController(
        _ controller: ASAuthorizationController,
        didCompleteWithCustomMethod method: ASAuthorizationCustomMethod
    )
}

// The three are optional for Objective-C.
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

/// Another way to sign in, on televisions; never offered here.
public struct ASAuthorizationCustomMethod: RawRepresentable, Hashable, Sendable {
    /// The word for it.
    public var rawValue: String
    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any word.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The account of a television provider.
    public static let videoSubscriberAccount = Self("videoSubscriberAccount")
    /// A purchase that was made before.
    public static let restorePurchase = Self("restorePurchase")
    /// Any other.
    public static let other = Self("other")
}
