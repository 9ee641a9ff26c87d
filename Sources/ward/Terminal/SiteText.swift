import Foundation

/// A site in the form for lists.
enum SiteText {
    /// The host of an address.
    ///
    /// If there is no host, it is the address itself.
    static func host(_ address: String) -> String { URLComponents(string: address)?.host ?? address }
}
