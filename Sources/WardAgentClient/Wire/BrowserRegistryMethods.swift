/// A browser that the person connected.
package struct BrowserRecord: Codable, Hashable, Sendable {
    /// The name of the browser.
    package var name: String
    /// The path of its executable.
    package var path: String
    /// The ID of its extension.
    package var extensionID: String

    package init(name: String, path: String, extensionID: String) {
        self.name = name
        self.path = path
        self.extensionID = extensionID
    }
}

/// Lists the connected browsers.
package struct ListBrowsers: AgentMethod {
    package static let name = "browsers.list"
    package init() {}

    /// The browsers.
    package struct Result: Codable, Sendable {
        package var browsers: [BrowserRecord]
        /// The sites with settings of their own.
        package var sites: [BrowserSiteRecord]?
        /// Whether sites may create passkeys after passwords, without a prompt.
        package var upgrades: Bool?

        package init(browsers: [BrowserRecord], sites: [BrowserSiteRecord]? = nil, upgrades: Bool? = nil) {
            self.browsers = browsers
            self.sites = sites
            self.upgrades = upgrades
        }
    }
}

/// Removes connected browsers.
package struct ForgetBrowser: AgentMethod {
    package static let name = "browsers.forget"
    /// The name of the browser, or the path of its executable.
    package var browser: String
    package init(browser: String) { self.browser = browser }

    /// The removed browsers.
    package typealias Result = ListBrowsers.Result
}
