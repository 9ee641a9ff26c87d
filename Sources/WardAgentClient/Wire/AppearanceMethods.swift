/// Asks for the sites whose name and icon are not in the vault, or are older than 90 days.
///
/// The agent itself asks no site.
package struct ListSitesWithoutAppearance: AgentMethod {
    package static let name = "sites.list"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The items whose sites are wanted, as in ``GetItem``; empty for all.
    package var items: [String]
    /// Whether to list sites whose name and icon are in the vault too.
    package var isAgain: Bool

    package init(authorization: Authorization, items: [String] = [], isAgain: Bool = false) {
        self.authorization = authorization
        self.items = items
        self.isAgain = isAgain
    }

    /// The sites.
    package struct Result: Codable, Sendable {
        /// The registrable domains in lower case, in ascending order.
        package var domains: [String]

        package init(domains: [String]) { self.domains = domains }
    }
}

/// Keeps names and icons of sites in the vault, in every item of these sites.
package struct KeepSiteAppearances: AgentMethod {
    package static let name = "sites.keep"
    /// The maximum number of sites.
    package static let maximumSites = 16
    /// The authorization of the request.
    package var authorization: Authorization
    /// The sites.
    package var sites: [Site]

    /// What a site says of itself.
    package struct Site: Codable, Sendable {
        /// The registrable domain.
        package var domain: String
        /// The name; empty if the site has none.
        package var name: String
        /// The icon: a PNG file of at most 64 pixels of width and height and at most 16 KiB, in base64url; `nil` if there is none.
        package var icon: String?

        package init(domain: String, name: String, icon: String?) {
            self.domain = domain
            self.name = name
            self.icon = icon
        }
    }

    package init(authorization: Authorization, sites: [Site]) {
        self.authorization = authorization
        self.sites = sites
    }

    package typealias Result = ChangedAppearances
}

/// Removes the names and icons of sites from items.
package struct RemoveSiteAppearances: AgentMethod {
    package static let name = "sites.clear"
    /// The authorization of the request.
    package var authorization: Authorization
    /// The items, as in ``GetItem``; empty for all.
    package var items: [String]

    package init(authorization: Authorization, items: [String] = []) {
        self.authorization = authorization
        self.items = items
    }

    package typealias Result = ChangedAppearances
}

/// What became of names and icons.
package struct ChangedAppearances: Codable, Sendable {
    /// The number of items that changed.
    package var items: Int

    package init(items: Int) { self.items = items }
}
