/// The two time formats of certificates: RFC 5280, section 4.1.2.5.
enum CertificateTime {
    /// Reads UTCTime or GeneralizedTime, in seconds since 1970.
    static func read(_ input: Span<UInt8>, with reader: inout DERReader) throws(CertificateError) -> Int64 {
        let start = reader.offset
        let element = try reader.read(input)
        let text = element.contents
        let yearDigits: Int
        switch element.tag {
        case .utcTime: yearDigits = 2
        case .generalizedTime: yearDigits = 4
        default: throw .malformed("expected a time, found \(element.tag)", at: start)
        }
        let hasSeconds = text.count == yearDigits + 11
        guard hasSeconds || yearDigits == 2 && text.count == 11, input[text.upperBound - 1] == UInt8(ascii: "Z") else {
            throw .malformed("a time of \(text.count) characters", at: start)
        }
        var fields: [6 of Int] = [0, 0, 0, 0, 0, 0]
        var index = text.lowerBound
        for field in 0..<(hasSeconds ? 6 : 5) {
            for _ in 0..<(field == 0 ? yearDigits : 2) {
                let digit = input[index]
                guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else {
                    throw .malformed("a time has characters other than digits", at: index)
                }
                fields[field] = fields[field] * 10 + Int(digit - UInt8(ascii: "0"))
                index += 1
            }
        }
        // RFC 5280: two-digit years mean 1950 to 2049.
        var year = fields[0]
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        if !hasSeconds || yearDigits == 4 && year < 2050 { reader.deviations.insert(.unusualTime) }
        guard (1...12).contains(fields[1]), (1...31).contains(fields[2]), fields[3] < 24, fields[4] < 60, fields[5] < 61
        else { throw .malformed("a time does not exist, such as 31 February", at: start) }
        let days = Self.days(year: year, month: fields[1], day: fields[2])
        return Int64(((days * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5])
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    ///
    /// Here the year begins in March, so that leap days come last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
