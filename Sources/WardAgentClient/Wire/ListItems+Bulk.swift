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

extension SummaryRecord: BulkResult {
    func write(to writer: inout BulkWriter) {
        writer.write(literal: "{\"codes\":")
        writer.write(Int64(codes))
        if let conflicts {
            writer.write(literal: ",\"conflicts\":")
            writer.write(Int64(conflicts))
        }
        if let deletedAt {
            writer.write(literal: ",\"deletedAt\":")
            writer.write(deletedAt)
        }
        writer.write(literal: ",\"hasPassword\":")
        writer.write(hasPassword)
        writer.write(literal: ",\"id\":")
        writer.write(id)
        if let isDamaged {
            writer.write(literal: ",\"isDamaged\":")
            writer.write(isDamaged)
        }
        writer.write(literal: ",\"isFavorite\":")
        writer.write(isFavorite)
        writer.write(literal: ",\"kind\":")
        writer.write(kind)
        writer.write(literal: ",\"modifiedAt\":")
        writer.write(modifiedAt)
        writer.write(literal: ",\"passkeys\":")
        writer.write(Int64(passkeys))
        writer.write(literal: ",\"sites\":")
        writer.write(sites)
        writer.write(literal: ",\"tags\":")
        writer.write(tags)
        writer.write(literal: ",\"title\":")
        writer.write(title)
        writer.write(literal: ",\"username\":")
        writer.write(username)
        writer.write(literal: "}")
    }

    init?(_ reader: inout BulkReader, _ input: Span<UInt8>) {
        guard reader.skip("{\"codes\":", input), let codes = reader.integer(input) else { return nil }
        if reader.skip(",\"conflicts\":", input) {
            guard let number = reader.integer(input) else { return nil }
            conflicts = Int(clamping: number)
        }
        if reader.skip(",\"deletedAt\":", input) {
            guard let time = reader.integer(input) else { return nil }
            deletedAt = time
        }
        guard reader.skip(",\"hasPassword\":", input), let hasPassword = reader.bool(input),
            reader.skip(",\"id\":", input), let id = reader.string(input)
        else { return nil }
        if reader.skip(",\"isDamaged\":", input) {
            guard let isDamaged = reader.bool(input) else { return nil }
            self.isDamaged = isDamaged
        }
        guard reader.skip(",\"isFavorite\":", input), let isFavorite = reader.bool(input),
            reader.skip(",\"kind\":", input), let kind = reader.string(input),
            reader.skip(",\"modifiedAt\":", input), let modifiedAt = reader.integer(input),
            reader.skip(",\"passkeys\":", input), let passkeys = reader.integer(input),
            reader.skip(",\"sites\":", input), let sites = reader.strings(input),
            reader.skip(",\"tags\":", input), let tags = reader.strings(input),
            reader.skip(",\"title\":", input), let title = reader.string(input),
            reader.skip(",\"username\":", input), let username = reader.string(input), reader.skip("}", input)
        else { return nil }
        (self.codes, self.passkeys) = (Int(codes), Int(passkeys))
        (self.hasPassword, self.isFavorite) = (hasPassword, isFavorite)
        (self.id, self.kind, self.title, self.username) = (id, kind, title, username)
        (self.sites, self.tags) = (sites, tags)
        self.modifiedAt = modifiedAt
    }
}
