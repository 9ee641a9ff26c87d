/// The fields of a map, which are taken out and put in by key.
///
/// A reader takes the fields that it knows. The fields of later versions remain in ``rest``, and a writer that starts with them
/// keeps them. Most formats have integers as keys; text works as well.
package struct CBORFields: Hashable, Sendable {
    /// The fields that were not taken out.
    package private(set) var rest: [CBORPair]

    /// Starts with fields that are kept as they are.
    package init(keeping rest: [CBORPair] = []) { self.rest = rest }

    /// Reads a map, or returns `nil` for another value.
    package init?(_ value: CBORValue?) {
        guard case .map(let pairs)? = value else { return nil }
        rest = pairs
    }

    /// Takes a field out, if it is there.
    package mutating func take(_ key: CBORValue) -> CBORValue? {
        guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
        return rest.remove(at: index).value
    }

    /// Puts a field in; `nil` puts nothing in.
    package mutating func put(_ key: CBORValue, _ value: CBORValue?) {
        if let value { rest.append(CBORPair(key: key, value: value)) }
    }

    /// The map; it is sorted when it is encoded.
    package var value: CBORValue { .map(rest) }

    /// The map in canonical form.
    package var encoded: [UInt8] { value.encoded() }
}
