import Foundation

/// What makes the pages those of one service: its logo and icon, its accent colour, and the way back to its site.
package struct PageBrand: Sendable {
    let logo: PageLogo?
    let icon: PageIcon?
    let colors: AccentColors?
    /// The site to which the pages lead back.
    let home: Home?

    /// A site to which the pages lead back.
    struct Home: Sendable {
        let address: String
        let host: String
    }

    /// The pages as they come.
    package static let standard = Self(logo: nil, icon: nil, colors: nil, home: nil)

    private init(logo: PageLogo?, icon: PageIcon?, colors: AccentColors?, home: Home?) {
        self.logo = logo
        self.icon = icon
        self.colors = colors
        self.home = home
    }

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ServerConfigurationError`` for a logo, an icon, a colour or an address that cannot be used.
    package init(_ configuration: ServerConfiguration) throws(ServerConfigurationError) {
        logo = try configuration.logo.map { path throws(ServerConfigurationError) in try PageLogo(file: path) }
        icon = try configuration.icon.map { path throws(ServerConfigurationError) in try PageIcon(file: path) }
        colors = try configuration.accentColor.map { text throws(ServerConfigurationError) in try AccentColors(text) }
        home = try configuration.homeURL.map(Self.home)
    }

    private static func home(_ text: String) throws(ServerConfigurationError) -> Home {
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme), let host = url.host(), !host.isEmpty,
            url.user() == nil, url.password() == nil
        else {
            throw ServerConfigurationError(
                "the address of the site must be one such as https://example.com/, not \"\(text)\""
            )
        }
        return Home(address: url.absoluteString, host: host)
    }
}
