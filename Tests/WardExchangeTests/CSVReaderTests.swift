import Testing

@testable import WardExchange

@Suite struct `The CSV reader` {
    private func rows(_ text: String, _ dialect: CSVReader.Dialect = .init()) throws(ImportError) -> [[String]] {
        try rows(Array(text.utf8), dialect)
    }

    private func rows(_ bytes: [UInt8], _ dialect: CSVReader.Dialect = .init()) throws(ImportError) -> [[String]] {
        var reader = try CSVReader(bytes, dialect)
        var rows: [[String]] = []
        while let record = try reader.next() { rows.append(record.fields) }
        return rows
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `takes every line end, and quoted fields with separators, quotes and line ends`(end: String) throws {
        let text = "a,b" + end + "\"x, \"\"y\"\"\n z\"," + end + end + " p ,\"\""
        #expect(try rows(text) == [["a", "b"], ["x, \"y\"\n z", ""], [" p ", ""]])
    }

    @Test(arguments: [
        ("a\n\"x", ImportError.Code.truncated, "row 2"), ("a\nx\"y", .malformed, "row 2"),
        ("a\n\"x\"y", .malformed, "row 2"), ("a,b\n\"x\" ,y", .malformed, "row 2"),
    ])
    func `names the row of a mistake`(text: String, code: ImportError.Code, place: String) {
        let error = #expect(throws: ImportError.self) { try rows(text) }
        #expect(error?.code == code && error?.detail.contains(place) == true)
    }

    @Test func `refuses text that is not UTF-8`() {
        #expect(throws: ImportError(.malformed)) { try rows([0x61, 0x2c, 0xff]) }
        #expect(throws: ImportError(.malformed)) { try rows([0xff, 0xfe, 0x00, 0xdc]) }
        #expect(throws: ImportError(.truncated)) { try rows([0xff, 0xfe, 0x61]) }
    }

    @Test func `reads UTF-16 and a byte order mark`() throws {
        let units = Array("ä,b\n😀,\"x\"".utf16)
        var (little, big): ([UInt8], [UInt8]) = ([0xff, 0xfe], [0xfe, 0xff])
        for unit in units {
            little += [UInt8(unit & 0xff), UInt8(unit >> 8)]
            big += [UInt8(unit >> 8), UInt8(unit & 0xff)]
        }
        for bytes in [little, big, [0xef, 0xbb, 0xbf] + Array("ä,b\n😀,\"x\"".utf8)] {
            #expect(try rows(bytes) == [["ä", "b"], ["😀", "x"]])
        }
    }

    @Test func `reads the backslashes of KeePass`() throws {
        let dialect = CSVReader.Dialect(escapesWithBackslash: true)
        #expect(try rows(#""a\"b\\c","d""#, dialect) == [[#"a"b\c"#, "d"]])
        for text in [#""a\"#, #""a\""#] { #expect(throws: ImportError(.truncated)) { try rows(text, dialect) } }
    }

    @Test func `has limits, and names them`() throws {
        let endless: [UInt8] = [0x61, 0x0a, 0x22] + [UInt8](repeating: 0x78, count: CSVReader.Limits.field + 2)
        let columns = [UInt8](repeating: 0x2c, count: CSVReader.Limits.columns + 1)
        let lines = [UInt8](repeating: 0x0a, count: CSVReader.Limits.rows + 1)
        for (bytes, name) in [
            (endless, "1 MiB"), (Array(endless.dropFirst(3)), "1 MiB"), (columns, "512 columns"),
            (lines, "200000 rows"),
        ] {
            let error = #expect(throws: ImportError.self) { try rows(bytes) }
            #expect(error?.code == .tooLarge && error?.detail.contains(name) == true, "\(error.debugDescription)")
        }
    }

    @Test func `reads times, and no others`() {
        let now: Int64 = 1_800_000_000
        #expect(CSVTime.iso8601.read("2024-02-29T12:30:15Z", now: now) == 1_709_209_815)
        #expect(CSVTime.iso8601.read("2024-02-29 12:30:15.123+02:00", now: now) == 1_709_202_615)
        #expect(CSVTime.milliseconds.read("1709209815123", now: now) == 1_709_209_815)
        #expect(CSVTime.seconds.read("1709209815", now: now) == 1_709_209_815)
        for text in [
            "", "x", "2024-13-01T00:00:00Z", "2024-02-29T12:30", "1960-01-01T00:00:00Z", "9999-01-01T00:00:00Z",
        ] {
            #expect(CSVTime.iso8601.read(text, now: now) == nil, "\(text)")
        }
        for text in ["-5", "9223372036854775807", "99999999999999999999"] {
            #expect(CSVTime.seconds.read(text, now: now) == nil, "\(text)")
        }
    }
}
