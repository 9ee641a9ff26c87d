/// The page that sent a message to a browser's extension, as the browser describes it to the extension.
package struct BrowserSender: Codable, Hashable, Sendable {
    /// The address of the page or frame.
    package var url: String
    /// The origin of the page or frame.
    package var origin: String
    /// The number of the tab; -1 if it has none.
    package var tab: Int
    /// The number of the frame in its tab: 0 for the page in the address bar, -1 if it is not known.
    package var frame: Int
    /// The browser's ID of the document; absent or empty if it has none.
    package var document: String?
    /// The address in the address bar.
    package var topURL: String
    /// Whether the window is private.
    package var isPrivate: Bool
    /// Whether all pages from this frame to the address bar have the same origin.
    ///
    /// If it is absent, this is decided by the origin of ``topURL``.
    package var isSameOriginWithAncestors: Bool?
    /// The origins of the pages around the frame, from its parent to the address bar; absent if they are not known.
    package var ancestors: [String]?

    package init(
        url: String,
        origin: String,
        tab: Int,
        frame: Int,
        topURL: String,
        isPrivate: Bool = false,
        isSameOriginWithAncestors: Bool? = nil,
        ancestors: [String]? = nil
    ) {
        self.url = url
        self.origin = origin
        self.tab = tab
        self.frame = frame
        self.topURL = topURL
        self.isPrivate = isPrivate
        self.isSameOriginWithAncestors = isSameOriginWithAncestors
        self.ancestors = ancestors
    }
}

/// The state of the credential manager, for the extension's icon and menu.
package struct BrowserState: AgentMethod {
    package static let name = "browser.state"
    package init() {}

    /// The state.
    package struct Result: Codable, Hashable, Sendable {
        /// Whether the person connected this browser.
        package var isPaired: Bool
        /// Whether there is a vault.
        package var hasVault: Bool
        /// Whether the vault is locked.
        package var isLocked: Bool
        /// Whether passkeys are on, and a credential manager in use has them.
        package var passkeysAreOn: Bool
        /// The version of Ward.
        package var version: String

        package init(isPaired: Bool, hasVault: Bool, isLocked: Bool, passkeysAreOn: Bool, version: String) {
            self.isPaired = isPaired
            self.hasVault = hasVault
            self.isLocked = isLocked
            self.passkeysAreOn = passkeysAreOn
            self.version = version
        }
    }
}

/// Asks the person whether the browser may use the credential manager.
package struct PairBrowser: AgentMethod {
    package static let name = "browser.pair"
    package init() {}
    package typealias Result = Done
}

/// Unlocks the vault with a prompt.
package struct UnlockForBrowser: AgentMethod {
    package static let name = "browser.unlock"
    package init() {}
    package typealias Result = Done
}

/// Locks the vault.
package struct LockForBrowser: AgentMethod {
    package static let name = "browser.lock"
    package init() {}
    package typealias Result = Done
}

/// Lists the passkeys that a page's request could use, without a prompt.
package struct ListPagePasskeys: AgentMethod {
    package static let name = "browser.passkeys.list"
    /// The page.
    package var sender: BrowserSender
    /// `PublicKeyCredentialRequestOptionsJSON` as text.
    package var options: String

    package init(sender: BrowserSender, options: String) {
        self.sender = sender
        self.options = options
    }

    /// The passkeys.
    package struct Result: Codable, Hashable, Sendable {
        /// Whether Ward's own vault is locked, so that its passkeys are not in the list.
        package var isLocked: Bool
        /// The passkeys.
        package var accounts: [Account]

        package init(isLocked: Bool, accounts: [Account]) {
            self.isLocked = isLocked
            self.accounts = accounts
        }
    }

    /// A passkey, without secrets.
    package struct Account: Codable, Hashable, Sendable {
        /// A random ID, valid for ten minutes in this frame.
        package var id: String
        /// The account's name.
        package var user: String
        /// The name for display; empty if it is not known.
        package var displayName: String
        /// The name of the credential manager that has the passkey.
        package var provider: String

        package init(id: String, user: String, displayName: String, provider: String) {
            self.id = id
            self.user = user
            self.displayName = displayName
            self.provider = provider
        }
    }
}

/// Uses a passkey for a page.
package struct UsePagePasskey: AgentMethod {
    package static let name = "browser.passkeys.get"
    /// The page.
    package var sender: BrowserSender
    /// `PublicKeyCredentialRequestOptionsJSON` as text.
    package var options: String
    /// The mediation that the page requested; default `optional`.
    package var mediation: Mediation?
    /// The ID of the account that the person clicked in the extension's own window or menu.
    package var picked: String?

    package init(sender: BrowserSender, options: String, mediation: Mediation? = nil, picked: String? = nil) {
        self.sender = sender
        self.options = options
        self.mediation = mediation
        self.picked = picked
    }

    /// The response for the page.
    package struct Result: Codable, Hashable, Sendable {
        /// `AuthenticationResponseJSON` as text.
        package var response: String
        package init(response: String) { self.response = response }
    }
}

/// Creates a passkey for a page.
package struct CreatePagePasskey: AgentMethod {
    package static let name = "browser.passkeys.create"
    /// The page.
    package var sender: BrowserSender
    /// `PublicKeyCredentialCreationOptionsJSON` as text.
    package var options: String
    /// The mediation that the page requested; default `optional`.
    package var mediation: Mediation?
    /// Whether the person clicked yes in the extension's own window.
    package var agreed: Bool?

    package init(sender: BrowserSender, options: String, mediation: Mediation? = nil, agreed: Bool? = nil) {
        self.sender = sender
        self.options = options
        self.mediation = mediation
        self.agreed = agreed
    }

    /// The response for the page.
    package struct Result: Codable, Hashable, Sendable {
        /// `RegistrationResponseJSON` as text.
        package var response: String
        package init(response: String) { self.response = response }
    }
}

/// Handles a page's signal about its credentials.
package struct SignalFromPage: AgentMethod {
    package static let name = "browser.passkeys.signal"
    /// The page.
    package var sender: BrowserSender
    /// The kind of signal.
    package var kind: SignalFromApp.Kind
    /// The options of the signal, as JSON text.
    package var options: String

    package init(sender: BrowserSender, kind: SignalFromApp.Kind, options: String) {
        self.sender = sender
        self.kind = kind
        self.options = options
    }
    /// The same in every case.
    package typealias Result = Done
}

/// Lists what can be filled into a page, without secrets and without a prompt.
package struct ListPageEntries: AgentMethod {
    package static let name = "browser.entries"
    /// The page.
    package var sender: BrowserSender
    package init(sender: BrowserSender) { self.sender = sender }

    /// The entries.
    package struct Result: Codable, Hashable, Sendable {
        /// Whether Ward's own vault is locked, so that its entries are not in the list.
        package var isLocked: Bool
        /// The entries.
        package var entries: [Entry]
        /// Whether the person wants no menu at the fields of this site.
        package var menuIsOff: Bool

        package init(isLocked: Bool, entries: [Entry], menuIsOff: Bool = false) {
            self.isLocked = isLocked
            self.entries = entries
            self.menuIsOff = menuIsOff
        }
    }

    /// An entry, without secrets.
    package struct Entry: Codable, Hashable, Sendable {
        /// A random ID, valid for ten minutes in this frame.
        package var id: String
        /// `passkey`, `password` or `oneTimeCode`.
        package var kind: String
        /// The account's name.
        package var user: String
        /// The domain that the entry is for.
        package var domain: String
        /// The title of the item; empty if it has none.
        package var title: String
        /// The name of the credential manager that has the entry.
        package var provider: String
        /// Whether the password was generated, and not saved by the person yet.
        package var isDraft = false
        /// The name that the site gives itself; `nil` if it is unknown.
        package var siteName: String?
        /// The icon of the site: a PNG file in base64; `nil` if there is none.
        package var icon: String?

        package init(id: String, kind: String, user: String, domain: String, title: String, provider: String) {
            self.id = id
            self.kind = kind
            self.user = user
            self.domain = domain
            self.title = title
            self.provider = provider
        }
    }
}

/// Releases a password or a code that the person clicked in the extension's own menu.
package struct FillPage: AgentMethod {
    package static let name = "browser.fill"
    /// The page.
    package var sender: BrowserSender
    /// The ID of the entry.
    package var entry: String

    package init(sender: BrowserSender, entry: String) {
        self.sender = sender
        self.entry = entry
    }

    /// The values for the form.
    package struct Result: Codable, Hashable, Sendable {
        /// The user name, with a password.
        package var user: String?
        /// The password.
        package var password: String?
        /// The verification code.
        package var code: String?
        /// The seconds until the next code, and how long each is valid; absent for codes that do not depend on the time.
        package var secondsLeft: Int?
        package var period: Int?

        package init(user: String? = nil, password: String? = nil, code: String? = nil) {
            self.user = user
            self.password = password
            self.code = code
        }
    }
}

/// Searches the vault, without secrets and without a prompt.
package struct SearchForBrowser: AgentMethod {
    package static let name = "browser.search"
    /// The words.
    package var query: String
    package init(query: String) { self.query = query }

    /// The passwords and codes, for ``RevealForBrowser``.
    package typealias Result = ListPageEntries.Result
}

/// Releases a password or a code that the person found by searching, after a prompt.
package struct RevealForBrowser: AgentMethod {
    package static let name = "browser.reveal"
    /// The ID of the entry.
    package var entry: String
    package init(entry: String) { self.entry = entry }
    package typealias Result = FillPage.Result
}

/// Puts a text into the clipboard, and clears it after some time.
///
/// `ward-browser` answers this itself: the agent has no part in it, and no display.
package struct HoldForBrowser: AgentMethod {
    package static let name = "browser.hold"
    /// The text.
    package var text: String
    package init(text: String) { self.text = text }

    /// What was done.
    package struct Result: Codable, Hashable, Sendable {
        /// The seconds until the clipboard is cleared.
        package var seconds: Int
        package init(seconds: Int) { self.seconds = seconds }
    }
}

/// Reports that the person changed a field of a form that was filled in.
package struct ChangeFilledPage: AgentMethod {
    package static let name = "browser.changed"
    /// The page.
    package var sender: BrowserSender
    package init(sender: BrowserSender) { self.sender = sender }
    package typealias Result = Done
}

/// Withdraws a running request of the same connection, and its prompt.
package struct CancelBrowserRequest: AgentMethod {
    package static let name = "browser.cancel"
    /// The ID of the request.
    package var request: Envelope.ID
    package init(request: Envelope.ID) { self.request = request }
    /// The same if there is no such request.
    package typealias Result = Done
}
