import Foundation

/// A site as lists show it.
enum SiteText {
    /// The host of an address; the address itself where there is none.
    static func host(_ address: String) -> String { URLComponents(string: address)?.host ?? address }
}
