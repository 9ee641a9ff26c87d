/// What the person decided for a site in browsers.
package struct BrowserSiteRecord: Codable, Hashable, Sendable {
    /// The registrable domain, or the host if it has none.
    package var site: String
    /// Whether passwords typed there are offered to be saved.
    package var saves: Bool
    /// Whether the site may create a passkey after a password, without a prompt.
    package var upgrades: Bool
    /// Whether a menu opens at the fields of its pages.
    package var menu: Bool

    package init(site: String, saves: Bool = true, upgrades: Bool = true, menu: Bool = true) {
        self.site = site
        self.saves = saves
        self.upgrades = upgrades
        self.menu = menu
    }
}

/// Reads the settings of sites.
package struct GetBrowserSettings: AgentMethod {
    package static let name = "browser.settings"
    /// The page whose site is asked for.
    package var sender: BrowserSender?
    package init(sender: BrowserSender? = nil) { self.sender = sender }

    /// The settings.
    package struct Result: Codable, Hashable, Sendable {
        /// The settings of the page's site.
        package var site: BrowserSiteRecord?
        /// The sites with settings of their own.
        package var sites: [BrowserSiteRecord]
        /// Whether sites may create passkeys after passwords, without a prompt.
        package var upgrades: Bool

        package init(site: BrowserSiteRecord? = nil, sites: [BrowserSiteRecord], upgrades: Bool) {
            self.site = site
            self.sites = sites
            self.upgrades = upgrades
        }
    }
}

/// Changes the settings of a site, or of all sites.
package struct ChangeBrowserSettings: AgentMethod {
    package static let name = "browser.settings.change"
    /// The site; absent for the settings of all sites.
    package var site: String?
    /// See ``BrowserSiteRecord/saves``.
    package var saves: Bool?
    /// See ``BrowserSiteRecord/upgrades``; without a site, for all sites.
    package var upgrades: Bool?
    /// See ``BrowserSiteRecord/menu``.
    package var menu: Bool?

    package init(site: String? = nil, saves: Bool? = nil, upgrades: Bool? = nil, menu: Bool? = nil) {
        self.site = site
        self.saves = saves
        self.upgrades = upgrades
        self.menu = menu
    }

    package typealias Result = GetBrowserSettings.Result
}

/// Lists the passkeys that were created for pages without a prompt, since the agent started.
package struct ListPageUpgrades: AgentMethod {
    package static let name = "browser.upgrades"
    package init() {}

    /// The passkeys, latest first.
    package struct Result: Codable, Hashable, Sendable {
        package var upgrades: [Upgrade]
        package init(upgrades: [Upgrade]) { self.upgrades = upgrades }
    }

    /// A passkey.
    package struct Upgrade: Codable, Hashable, Sendable {
        /// A random ID.
        package var id: String
        /// The RP ID.
        package var site: String
        /// The account's name.
        package var user: String

        package init(id: String, site: String, user: String) {
            self.id = id
            self.site = site
            self.user = user
        }
    }
}

/// Removes a passkey that was created without a prompt, and switches such passkeys off for its site.
package struct UndoPageUpgrade: AgentMethod {
    package static let name = "browser.upgrades.undo"
    /// The ID.
    package var upgrade: String
    package init(upgrade: String) { self.upgrade = upgrade }
    package typealias Result = Done
}
