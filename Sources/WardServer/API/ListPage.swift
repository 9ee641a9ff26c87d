import Hummingbird
import WardText

/// The part of a list that a request asks for: `?limit=` says how many, `?after=` the last ID of the page before.
struct ListPage: Sendable {
    private let after: String?
    private let limit: Int

    /// - Parameters:
    ///   - request: The request.
    ///   - what: What the list has, with its article, for the refusal.
    ///   - most: The largest page, which is also the one without a limit.
    ///   - isID: Whether a text is an ID of the list.
    /// - Throws: ``APIError`` with `malformed_request`.
    init(
        _ request: Request,
        of what: String,
        upTo most: Int,
        isID: (String) -> Bool
    ) throws(APIError) {
        let query = request.uri.queryParameters
        limit = try Self.limit(query["limit"].map(String.init), upTo: most)
        after = query["after"].map(String.init)
        if let after, !isID(after) { throw APIError(.malformedRequest, "\"after\" is not the ID of \(what).") }
    }

    private static func limit(_ text: String?, upTo most: Int) throws(APIError) -> Int {
        guard let text else { return most }
        guard let limit = UInt16(text), String(limit) == text, (1...most).contains(Int(limit)) else {
            throw APIError(.malformedRequest, "\"limit\" must be 1 to \(most).")
        }
        return Int(limit)
    }

    /// How many elements from the beginning are enough for the page, or `nil` if it may be anywhere in the list.
    var reach: Int? { after == nil ? limit + 1 : nil }

    /// The elements of the page, and `next`: the ID to begin the next page after, or `null` on the last page.
    ///
    /// If the element before the page is gone, the list begins again.
    func cut<Element>(_ list: [Element], id: (Element) -> String) -> (shown: ArraySlice<Element>, next: JSONValue) {
        let start = after.flatMap { after in list.firstIndex { id($0) == after } }.map { $0 + 1 } ?? 0
        let rest = list[start...]
        let shown = rest.prefix(limit)
        return (shown, rest.count > limit ? shown.last.map { .string(id($0)) } ?? .null : .null)
    }
}
