package import WardText

/// Records the members of one object, so that duplicates are found.
package struct SeenMembers {
    private var known: UInt32 = 0
    private var unknown: Set<[UInt8]> = []

    package init() {}

    /// Records a member and returns its index in `names`, or -1 if it is unknown.
    package mutating func record(
        _ text: JSONReader.Text,
        _ names: MemberNames,
        _ reader: inout JSONReader,
        _ input: Span<UInt8>
    ) throws(JSONError) -> Int {
        if let index = reader.index(of: text, in: names, input) {
            guard known & (1 << UInt32(index)) == 0 else {
                throw JSONError(.duplicateMember, at: text.range.lowerBound)
            }
            known |= 1 << UInt32(index)
            return index
        }
        guard unknown.insert(Array(try reader.string(text, input).utf8)).inserted else {
            throw JSONError(.duplicateMember, at: text.range.lowerBound)
        }
        return -1
    }
}
