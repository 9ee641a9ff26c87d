/// A set of numbers, kept as ranges that do not touch each other.
struct NumberRanges {
    /// In order.
    private var ranges: [ClosedRange<UInt64>] = []

    /// The most ranges that are kept; a folder within its limits has no more gaps than segments.
    private static let limit = FolderLimits.segments

    /// The number up to which all from 1 are there; 0 without the 1.
    var lastWithoutGap: UInt64 {
        guard let first = ranges.first(where: { $0.upperBound > 0 }), first.lowerBound <= 1 else { return 0 }
        return first.upperBound
    }

    /// Adds a number.
    ///
    /// A number that would make too many ranges is left out.
    mutating func insert(_ number: UInt64) {
        let index = firstIndex(endingFrom: number)
        let joinsNext = index < ranges.count && ranges[index].lowerBound <= number
        if joinsNext { return }
        let touchesLast = index > 0 && ranges[index - 1].upperBound == number &- 1
        let touchesNext = index < ranges.count && ranges[index].lowerBound == number &+ 1
        switch (touchesLast, touchesNext) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...number
        case (false, true): ranges[index] = number...ranges[index].upperBound
        case (false, false): if ranges.count < Self.limit { ranges.insert(number...number, at: index) }
        }
    }

    /// The index of the first range that ends at a number or after it.
    private func firstIndex(endingFrom number: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
