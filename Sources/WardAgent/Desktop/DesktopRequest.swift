internal import WardClient

/// A request of a program on the desktop's message bus, in the same form for every interface.
struct DesktopRequest: Sendable {
    /// Whether a passkey is created or used.
    enum Kind: Sendable { case create, get }

    /// The maximum lengths of the values, in bytes of UTF-8.
    enum Limit {
        static let origin = 512
        static let options = 64 << 10
        static let word = 64
        static let name = 255
        static let window = 1_024
        static let token = 1_024
        /// The maximum number of entries of the dictionary with options.
        static let entries = 64
    }

    var kind: Kind
    /// The kind of credential: `publicKey`.
    var credential = DesktopRequest.publicKey
    /// The origin of the page, as the program reports it.
    var origin: String
    /// The origin in the address bar, if the page is in a frame.
    var topOrigin: String?
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON`.
    var options: String
    /// The mediation, as the program spells it; `nil` for the default.
    var mediation: String?
    /// The program's window: see ``ParentWindow``.
    var parentWindow: String
    /// The identifier of the app for which a portal asks.
    ///
    /// It counts only from a portal.
    var claimedApp: String?

    /// The name of public key credentials in the interfaces.
    static let publicKey = "publicKey"
}

/// The answer to a ``DesktopRequest``, in the same form for every interface.
enum DesktopAnswer: Sendable, Equatable {
    /// `RegistrationResponseJSON`.
    case created(String)
    /// `AuthenticationResponseJSON`.
    case used(String)
    /// The request was withdrawn: the door was closed.
    case cancelled
    /// The name of the exception for the page.
    case failed(ClientError.Code)
}

/// An error reply on the bus.
struct BusError: Error, Hashable {
    /// The error's name on the bus.
    var name: String
    /// One sentence for the program's developer.
    var message: String

    /// A value has the wrong type, or is too long.
    static func invalid(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
    }

    /// Too many requests run.
    static func limits(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: message)
    }

    /// The program may not do that.
    static func denied(_ message: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: message)
    }
}
