import Foundation

/// A reference to a value of an item: `ward://VAULT/ITEM/FIELD`.
struct SecretReference: Hashable {
    static let scheme = "ward://"

    /// The vault's name; empty for the vault of the command.
    let vault: String
    /// The exact title, or at least eight characters of the item ID.
    let item: String
    /// The name of the value, as `ward show --field` takes it, or `code`.
    let field: String

    /// Reads a reference.
    ///
    /// Parts with a slash or a percent sign are percent-encoded.
    ///
    /// - Throws: ``Failure`` that names the place, but not the text.
    init(_ text: String, in place: String) throws(Failure) {
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
            .map { String($0).removingPercentEncoding ?? "" }
        guard text.hasPrefix(Self.scheme), parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else {
            throw Failure(.usage, "\(place) is not a reference. Write ward://VAULT/ITEM/FIELD, or ward:///ITEM/FIELD")
        }
        (vault, item, field) = (parts[0], parts[1], parts[2])
    }
}
