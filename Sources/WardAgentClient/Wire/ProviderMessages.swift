package import WardWebAuthn

/// The messages between the agent and another credential manager; bytes are in base64url.
///
/// `Documentation/formats/provider.md` describes them for authors of credential managers.
package enum ProviderMessages {
    /// The maximum length of an answer, in bytes.
    package static let maximumAnswerLength = 1 << 20
    /// The supported protocol versions.
    package static let versions = [2]

    /// The first request of a connection.
    package struct Greeting: AgentMethod {
        package static let name = "hello"
        package var versions = ProviderMessages.versions
        package var client = "ward"
        /// The secret from the manager's standard input or its file; only the agent and this manager know it.
        package var proof: String

        package init(proof: String) { self.proof = proof }

        package struct Result: Codable, Sendable {
            package var version: Int
            package var identifier: String

            package init(version: Int, identifier: String) {
                self.version = version
                self.identifier = identifier
            }
        }
    }

    /// Lists entries for domains, without secrets.
    package struct Entries: AgentMethod {
        package static let name = "provider.entries"
        package var domains: [String]
        package var kinds: [String]

        package init(domains: [String], kinds: [String]) {
            self.domains = domains
            self.kinds = kinds
        }

        package struct Entry: Codable, Sendable {
            package var reference: String
            package var kind: String
            package var domain: String
            package var user: String
            package var lastUsedAt: Int64?
            package var credentialID: CredentialID?
            package var userHandle: UserHandle?

            package init(
                reference: String,
                kind: String,
                domain: String,
                user: String,
                lastUsedAt: Int64? = nil,
                credentialID: CredentialID? = nil,
                userHandle: UserHandle? = nil
            ) {
                self.reference = reference
                self.kind = kind
                self.domain = domain
                self.user = user
                self.lastUsedAt = lastUsedAt
                self.credentialID = credentialID
                self.userHandle = userHandle
            }
        }

        package struct Result: Codable, Sendable {
            package var entries: [Entry]
            /// Whether the manager is locked.
            ///
            /// The list then has only the entries that the manager knows while it is locked.
            package var isLocked: Bool?
            package init(entries: [Entry], isLocked: Bool? = nil) {
                self.entries = entries
                self.isLocked = isLocked
            }
        }
    }

    /// Asks a locked manager to unlock itself with a prompt to its person, after the person picked one of its entries.
    package struct Unlock: AgentMethod {
        package static let name = "provider.unlock"
        package var app: String

        package init(app: String) { self.app = app }

        package typealias Result = Done
    }

    /// Requests a password, after the person agreed.
    package struct Password: AgentMethod {
        package static let name = "provider.password"
        package var reference: String
        package var app: String

        package init(reference: String, app: String) {
            self.reference = reference
            self.app = app
        }

        package struct Result: Codable, Sendable {
            package var user: String
            package var password: String

            package init(user: String, password: String) {
                self.user = user
                self.password = password
            }
        }
    }

    /// Requests a verification code, after the person agreed.
    package struct Code: AgentMethod {
        package static let name = "provider.code"
        package var reference: String
        package var app: String

        package init(reference: String, app: String) {
            self.reference = reference
            self.app = app
        }

        package struct Result: Codable, Sendable {
            package var code: String
            package init(code: String) { self.code = code }
        }
    }

    /// Inputs of a passkey's secret function (`prf`), or its results: 32 bytes each.
    package struct PRFValues: Codable, Hashable, Sendable {
        package var first: String
        package var second: String?

        package init(first: String, second: String? = nil) {
            self.first = first
            self.second = second
        }
    }

    /// Requests a text that the person chooses in the manager's window.
    package struct TextToInsert: AgentMethod {
        package static let name = "provider.textToInsert"
        package var app: String

        package init(app: String) { self.app = app }

        package struct Result: Codable, Sendable {
            package var text: String
            package init(text: String) { self.text = text }
        }
    }

    /// Requests a signature with a passkey, after the person agreed.
    package struct Assertion: AgentMethod {
        package static let name = "provider.assertion"
        package var reference: String
        package var app: String
        package var rpID: String
        package var credentialID: CredentialID
        package var clientDataHash: String
        package var userPresent: Bool
        package var userVerified: Bool
        /// Whether the manager must verify its person before it signs.
        ///
        /// Only managers that declare this get such a request.
        package var wantsVerification: Bool
        /// Salts of the extension `prf`.
        ///
        /// Only managers that declare the extension get them.
        package var prf: PRFValues?
        /// Whether the service wants to read the passkey's large blob.
        package var readsLargeBlob: Bool?
        /// The bytes that the service wants to store in the passkey's large blob.
        package var writesLargeBlob: String?

        package init(
            reference: String,
            app: String,
            rpID: String,
            credentialID: CredentialID,
            clientDataHash: String,
            userPresent: Bool,
            userVerified: Bool,
            wantsVerification: Bool
        ) {
            self.reference = reference
            self.app = app
            self.rpID = rpID
            self.credentialID = credentialID
            self.clientDataHash = clientDataHash
            self.userPresent = userPresent
            self.userVerified = userVerified
            self.wantsVerification = wantsVerification
        }

        package struct Result: Codable, Sendable {
            package var credentialID: CredentialID
            package var userHandle: UserHandle?
            package var authenticatorData: String
            package var signature: String
            package var prf: PRFValues?
            package var largeBlob: String?
            package var isLargeBlobWritten: Bool?

            package init(
                credentialID: CredentialID,
                userHandle: UserHandle?,
                authenticatorData: String,
                signature: String
            ) {
                self.credentialID = credentialID
                self.userHandle = userHandle
                self.authenticatorData = authenticatorData
                self.signature = signature
            }
        }
    }

    /// Requests a new passkey, after the person agreed, or without a prompt if `isConditional`.
    package struct Registration: AgentMethod {
        package static let name = "provider.registration"
        package var app: String
        package var rpID: String
        package var rpName: String
        package var userHandle: UserHandle
        package var userName: String
        package var userDisplayName: String
        package var clientDataHash: String
        package var algorithms: [Int]
        package var excludedCredentials: [CredentialID]
        package var userPresent: Bool
        package var userVerified: Bool
        /// As in ``Assertion``.
        package var wantsVerification: Bool
        package var isConditional: Bool
        /// Whether the service requests the extension `prf`.
        ///
        /// Only managers that declare the extension get this.
        package var wantsPRF: Bool?
        /// Salts, if the service wants prf results at registration.
        package var prf: PRFValues?
        /// Whether the service requests a large blob.
        ///
        /// Only managers that declare the extension get this.
        package var wantsLargeBlob: Bool?

        package init(
            app: String,
            rpID: String,
            rpName: String,
            userHandle: UserHandle,
            userName: String,
            userDisplayName: String,
            clientDataHash: String,
            algorithms: [Int],
            excludedCredentials: [CredentialID],
            userPresent: Bool,
            userVerified: Bool,
            wantsVerification: Bool,
            isConditional: Bool
        ) {
            self.app = app
            self.rpID = rpID
            self.rpName = rpName
            self.userHandle = userHandle
            self.userName = userName
            self.userDisplayName = userDisplayName
            self.clientDataHash = clientDataHash
            self.algorithms = algorithms
            self.excludedCredentials = excludedCredentials
            self.userPresent = userPresent
            self.userVerified = userVerified
            self.wantsVerification = wantsVerification
            self.isConditional = isConditional
        }

        package struct Result: Codable, Sendable {
            package var attestationObject: String
            package var hasPRF: Bool?
            package var prf: PRFValues?
            package var hasLargeBlob: Bool?
            package init(attestationObject: String) { self.attestationObject = attestationObject }
        }
    }

    /// Saves a password, after the person chose this manager for it.
    package struct Save: AgentMethod {
        package static let name = "provider.save"
        package var app: String
        package var domain: String
        package var user: String
        package var password: String
        /// The app's title for the password; empty if there is none.
        package var title: String
        /// Whether the agent generated the password.
        ///
        /// If not, the person typed it.
        package var isGenerated: Bool

        package init(
            app: String,
            domain: String,
            user: String,
            password: String,
            title: String,
            isGenerated: Bool
        ) {
            self.app = app
            self.domain = domain
            self.user = user
            self.password = password
            self.title = title
            self.isGenerated = isGenerated
        }

        package struct Result: Codable, Sendable {
            /// The entry that now has the password.
            package var reference: String?
            package init(reference: String?) { self.reference = reference }
        }
    }

    /// Asks whether an account may get a passkey without a prompt, before such a registration.
    package struct MayUpgrade: AgentMethod {
        package static let name = "provider.mayUpgrade"
        /// The entry of the password that this manager released to the app in the last minutes.
        package var reference: String
        package var app: String
        package var domain: String
        package var user: String

        package init(reference: String, app: String, domain: String, user: String) {
            self.reference = reference
            self.app = app
            self.domain = domain
            self.user = user
        }

        package struct Result: Codable, Sendable {
            package var mayUpgrade: Bool
            package init(mayUpgrade: Bool) { self.mayUpgrade = mayUpgrade }
        }
    }

    /// A service's signal about credentials: `kind` and `options` as in ``SignalFromApp``.
    package struct Signal: AgentMethod {
        package static let name = "provider.signal"
        package var kind: String
        package var options: String

        package init(kind: String, options: String) {
            self.kind = kind
            self.options = options
        }

        package typealias Result = Done
    }
}
