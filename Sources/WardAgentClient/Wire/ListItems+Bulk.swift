extension ListItems.Result: BulkResult {
    func write(to writer: inout BulkWriter) {
        writer.reserve(64 + items.count * 288)
        writer.write(literal: "{")
        if let damaged {
            writer.write(literal: "\"damaged\":")
            writer.write(damaged)
            writer.write(literal: ",")
        }
        writer.write(literal: "\"items\":[")
        for (index, item) in items.enumerated() {
            if index > 0 { writer.write(literal: ",") }
            item.write(to: &writer)
        }
        writer.write(literal: "]}")
    }

    init?(_ reader: inout BulkReader, _ input: Span<UInt8>) {
        guard reader.skip("{", input) else { return nil }
        if reader.skip("\"damaged\":", input) {
            guard let ids = reader.strings(input), reader.skip(",", input) else { return nil }
            damaged = ids
        }
        guard reader.skip("\"items\":[", input) else { return nil }
        items = []
        if reader.skip("]}", input) { return }
        repeat {
            guard let item = SummaryRecord(&reader, input) else { return nil }
            items.append(item)
        } while reader.skip(",", input)
        guard reader.skip("]}", input) else { return nil }
    }
}
