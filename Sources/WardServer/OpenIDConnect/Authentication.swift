import WardAccounts
import WardWebAuthn

/// What a session proves, in the words that clients know.
struct Authentication: Sendable {
    /// What a client can ask for with `acr_values`: OpenID Connect Extended Authentication Profile,
    /// [section 4](https://openid.net/specs/openid-connect-eap-acr-values-1_0.html).
    enum Context: String, CaseIterable {
        /// Phishing-resistant: a passkey.
        case phishingResistant = "phr"
        /// Phishing-resistant, with a key that is bound to one device.
        ///
        /// The authenticator says so at registration (it is not eligible for backup). Unless a rule of the service counts only
        /// proven models, a person can use an authenticator that lies.
        case hardwareProtected = "phrh"
    }

    /// `acr`; `nil` for a password and for a sign-in at an identity provider.
    let context: Context?
    /// `amr`: RFC 8176, [section 2](https://www.rfc-editor.org/rfc/rfc8176#section-2).
    ///
    /// It has no word for a sign-in at an identity provider.
    let methods: [String]

    /// Reads what the session proves; the transaction knows the passkey.
    init(of session: Session, in tx: some AccountTransaction) async throws {
        var methods: [String] = []
        var context: Context?
        if let proof = session.signInProof, let passkey = try await tx.passkey(credentialID: proof.credentialID) {
            let isBound = !passkey.record.backupEligible
            context = isBound ? .hardwareProtected : .phishingResistant
            methods = [isBound ? "hwk" : "swk", "user"]
            if session.method == .password { methods.append("pwd") }
            if proof.userVerified || session.method != .passkey { methods.append("mfa") }
        } else if session.method == .password {
            methods = ["pwd"]
        }
        if session.secondFactor != nil { methods += ["otp", "mfa"] }
        var seen: Set<String> = []
        methods = methods.filter { seen.insert($0).inserted }
        (self.context, self.methods) = (context, methods)
    }

    /// Whether it is one of the contexts that a client asks for.
    func satisfies(_ values: [String]) -> Bool {
        guard !values.isEmpty else { return true }
        return switch context {
        case nil: false
        case .phishingResistant: values.contains(Context.phishingResistant.rawValue)
        case .hardwareProtected: values.contains { Context(rawValue: $0) != nil }
        }
    }
}
