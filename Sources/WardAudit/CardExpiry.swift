/// The end of a card's validity.
enum CardExpiry {
    /// Whether a day has passed.
    ///
    /// - Parameters:
    ///   - text: `2026-11`, `2026-11-30`, `11/26` or `11/2026`.
    ///   - now: Seconds since 1970.
    /// - Returns: `nil` if the text is not a date.
    static func hasPassed(_ text: String, now: Int64) -> Bool? {
        let parts = text.split(whereSeparator: { "-/. ".contains($0) }).map { Int($0) }
        guard (2...3).contains(parts.count), parts.allSatisfy({ $0 != nil }) else { return nil }
        var numbers = parts.compactMap(\.self)
        if numbers[0] <= 12, numbers.count == 2 { numbers.swapAt(0, 1) }
        if (0...99).contains(numbers[0]), numbers.count == 2 { numbers[0] += 2000 }
        guard (1900...9999).contains(numbers[0]), (1...12).contains(numbers[1]) else { return nil }
        let today = day(now)
        // A card is valid through the last day of its month.
        return (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 31) < today
    }

    /// The day in UTC.
    private static func day(_ time: Int64) -> (Int, Int, Int) {
        // Days since 1 March of year 0, in eras of 400 years.
        let days = max(0, time) / 86_400 + 719_468
        let (era, ofEra) = (days / 146_097, days % 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(ofYear - (153 * shifted + 2) / 5 + 1))
    }
}
