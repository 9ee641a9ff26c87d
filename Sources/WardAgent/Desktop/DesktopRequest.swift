internal import WardClient
internal import WardWebAuthn

/// A request of a program on the desktop's message bus, in the same form for every interface.
struct DesktopRequest: Sendable {
    /// What is asked for: a new passkey, an old one, or what only a portal may ask for: the passkeys of a domain, an open vault, and
    /// that a site's signal is noted.
    enum Kind: Sendable { case create, get, list, unlock, signal }

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
    var origin = ""
    /// The origin in the address bar, if the page is in a frame.
    var topOrigin: String?
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON`, or the options of a signal.
    var options = ""
    /// The mediation, as the program spells it; `nil` for the default.
    var mediation: String?
    /// The program's window: see ``ParentWindow``.
    var parentWindow = ""
    /// The reference of the passkey that the person picked in a list of the portal's.
    var picked: String?
    /// The domain whose passkeys are listed.
    var domain = ""
    /// The kind of signal.
    var signal = ""
    /// Whether only a portal may ask, and no app.
    var isForPortals = false
    /// The identifier of the app for which a portal asks.
    ///
    /// It counts only from a portal.
    var claimedApp: String?

    /// The RP ID in the options; `nil` if they have none or cannot be read.
    var rpID: String? {
        let json = Array(options.utf8)
        guard kind == .create else {
            return (try? TolerantOptions<PublicKeyCredentialRequestOptions>(json: json))?.options.rpID
        }
        return (try? TolerantOptions<PublicKeyCredentialCreationOptions>(json: json))?.options.rp.id
    }

    /// The name of public key credentials in the interfaces.
    static let publicKey = "publicKey"
}

/// The answer to a ``DesktopRequest``, in the same form for every interface.
enum DesktopAnswer: Sendable, Equatable {
    /// The passkeys of a domain, and whether the vault is locked.
    case listed([DesktopCandidate], isLocked: Bool)
    /// The request is over, and has no result.
    case done
    /// `RegistrationResponseJSON`.
    case created(String)
    /// `AuthenticationResponseJSON`.
    case used(String)
    /// The request was withdrawn: the door was closed.
    case cancelled
    /// The name of the exception for the page.
    case failed(ClientError.Code)
}

/// A passkey in a list, without its key.
struct DesktopCandidate: Sendable, Equatable {
    var reference: String
    var user: String
    /// In base64url, like the user handle.
    var credentialID: String
    var userHandle: String
    /// In seconds since 1970.
    var lastUsedAt: UInt64?
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
