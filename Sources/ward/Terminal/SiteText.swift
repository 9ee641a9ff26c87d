import Foundation

/// Sites in the forms for lists and questions.
enum SiteText {
    /// The host of an address.
    ///
    /// If there is no host, it is the address itself.
    static func host(_ address: String) -> String { URLComponents(string: address)?.host ?? address }

    /// The first twelve domains, and the number of the others.
    static func list(_ domains: [String]) -> String {
        let shown = domains.prefix(12).map { Table.clean($0) }.joined(separator: ", ")
        return domains.count > 12 ? "\(shown) and \(domains.count - 12) more" : shown
    }
}
