/// Generates a password for a field of a page, and keeps it as a draft.
package struct SuggestForPage: AgentMethod {
    package static let name = "browser.suggest"
    /// The page.
    package var sender: BrowserSender
    /// The attribute `passwordrules` of the field.
    package var rules: String?
    /// The attribute `minlength` of the field.
    package var minimumLength: Int?
    /// The attribute `maxlength` of the field.
    package var maximumLength: Int?
    /// The user name in the form.
    package var user: String?

    package init(sender: BrowserSender, rules: String? = nil, user: String? = nil) {
        self.sender = sender
        self.rules = rules
        self.user = user
    }

    /// The password.
    package struct Result: Codable, Hashable, Sendable {
        /// The password.
        package var password: String
        /// Whether the vault has it as a draft.
        package var isDraft: Bool

        package init(password: String, isDraft: Bool) {
            self.password = password
            self.isDraft = isDraft
        }
    }
}

/// What the vault can do with a password that the person typed into a page.
package enum SavingOutcome: String, Codable, Sendable {
    /// The account is not in the vault yet.
    case new
    /// An item of the account gets the password.
    case update
    /// The vault has the password already.
    case same
    /// The person wants no password of this site to be saved.
    case never
    /// The vault is locked, so this is not known yet.
    case locked
    /// There is no vault in use.
    case unavailable
}

/// Takes over a password that the person typed into a page, until the sign-in went through.
package struct CapturePassword: AgentMethod {
    package static let name = "browser.capture"
    /// The page.
    package var sender: BrowserSender
    /// The user name; empty if the form has none.
    package var user: String
    /// The password.
    package var password: String
    /// The current password, if the form changes it.
    package var current: String?

    package init(sender: BrowserSender, user: String, password: String, current: String? = nil) {
        self.sender = sender
        self.user = user
        self.password = password
        self.current = current
    }

    package typealias Result = CapturedPassword
}

/// What the agent knows of a captured password.
package struct CapturedPassword: Codable, Hashable, Sendable {
    /// A random ID, valid for five minutes; absent if there is nothing to save.
    package var id: String?
    /// What saving would do.
    package var outcome: SavingOutcome
    /// The site.
    package var site: String
    /// The user name.
    package var user: String
    /// The title of the item that gets the password, or has it; empty for a new one.
    package var title: String
    /// Whether the item has another password, which then is in its history.
    package var replaces: Bool

    package init(_ outcome: SavingOutcome, site: String, user: String, title: String = "", replaces: Bool = false) {
        self.outcome = outcome
        self.site = site
        self.user = user
        self.title = title
        self.replaces = replaces
    }
}

/// Says what saving a captured password would do now, if the tab still shows its site.
package struct CheckCapture: AgentMethod {
    package static let name = "browser.captured"
    /// The page that the tab shows now.
    package var sender: BrowserSender
    /// The ID of the password.
    package var capture: String

    package init(sender: BrowserSender, capture: String) {
        self.sender = sender
        self.capture = capture
    }

    package typealias Result = CapturedPassword
}

/// Saves a captured password, after the person agreed in the extension's own window.
package struct SaveCapture: AgentMethod {
    package static let name = "browser.save"
    /// The ID of the password.
    package var capture: String
    /// The user name, if the person changed it.
    package var user: String?

    package init(capture: String, user: String? = nil) {
        self.capture = capture
        self.user = user
    }

    /// What was done: `outcome` is `new`, `update` or `same`.
    package typealias Result = CapturedPassword
}

/// Forgets a captured password.
package struct DiscardCapture: AgentMethod {
    package static let name = "browser.discard"
    /// The ID of the password.
    package var capture: String
    package init(capture: String) { self.capture = capture }
    /// The same if there is no such password.
    package typealias Result = Done
}
