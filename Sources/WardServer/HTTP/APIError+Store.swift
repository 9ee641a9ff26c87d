import WardAccounts

extension APIError {
    /// The error that a client gets for an error of the store.
    init(_ error: StoreError) {
        switch error.code {
        case .usernameTaken: self = APIError(.usernameTaken, "Another account has this name.").at("username")
        case .credentialExists: self.init(.credentialExists, "This passkey is registered already.")
        case .accountNotFound: self = .notSignedIn
        case .notStorable: self.init(.malformedRequest, "The request holds text that cannot be kept.")
        case .busy: self.init(.unavailable, "The service has too much to do. Try again in a moment.", retryAfter: 2)
        default: self.init(.unavailable, "The service cannot answer now.")
        }
    }
}
