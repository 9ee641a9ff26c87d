internal import WardCBOR
internal import WardCOSE
internal import WardWebAuthn

/// The form of a summary in the index: arrays in a fixed order.
///
/// The index is encrypted with the vault's key and written by this program, so a malformed index is simply discarded.
extension ItemSummary {
    func encode(into writer: inout CBORWriter) {
        writer.writeArray(count: 16)
        writer.write(bytes: id.bytes)
        writer.write(text: kind.rawValue)
        writer.write(text: title)
        writer.write(text: username)
        writer.writeArray(count: sites.count)
        for site in sites { writer.write(value: site.cbor) }
        writer.writeArray(count: tags.count)
        for tag in tags { writer.write(text: tag) }
        writer.write(bool: isFavorite)
        writer.write(bool: hasPassword)
        writer.write(integer: Int64(codeCount))
        writer.writeArray(count: passkeys.count)
        for passkey in passkeys { passkey.encode(into: &writer) }
        writer.write(integer: createdAt)
        writer.write(integer: modifiedAt)
        Self.write(deletedAt, into: &writer)
        writer.write(integer: Int64(conflictCount))
        writer.write(text: siteName)
        Self.write(appearanceFetchedAt, into: &writer)
    }

    init(_ reader: inout CBORReader, _ input: Span<UInt8>) throws(CBORError) {
        var parts = try reader.readArray(input)
        func expect(_ condition: Bool) throws(CBORError) {
            guard condition else { throw CBORError(.unexpectedType, at: 0) }
        }
        try expect(parts.count == 16)
        _ = try reader.nextElement(&parts, input)
        guard let id = ItemID(CBORReader.copy(try reader.readBytes(input), of: input)) else {
            throw CBORError(.unexpectedType, at: reader.offset)
        }
        self.id = id
        _ = try reader.nextElement(&parts, input)
        kind = ItemKind(rawValue: try reader.readTextString(input))
        _ = try reader.nextElement(&parts, input)
        title = try reader.readTextString(input)
        _ = try reader.nextElement(&parts, input)
        username = try reader.readTextString(input)
        _ = try reader.nextElement(&parts, input)
        sites = []
        var list = try reader.readArray(input)
        while try reader.nextElement(&list, input) {
            guard let site = try? Site(try reader.readValue(input)) else {
                throw CBORError(.unexpectedType, at: reader.offset)
            }
            sites.append(site)
        }
        _ = try reader.nextElement(&parts, input)
        tags = []
        list = try reader.readArray(input)
        while try reader.nextElement(&list, input) { tags.append(try reader.readTextString(input)) }
        _ = try reader.nextElement(&parts, input)
        isFavorite = try reader.readBool(input)
        _ = try reader.nextElement(&parts, input)
        hasPassword = try reader.readBool(input)
        _ = try reader.nextElement(&parts, input)
        codeCount = Int(clamping: try reader.readInteger(input))
        _ = try reader.nextElement(&parts, input)
        passkeys = []
        list = try reader.readArray(input)
        while try reader.nextElement(&list, input) { passkeys.append(try Passkey(&reader, input)) }
        _ = try reader.nextElement(&parts, input)
        createdAt = try reader.readInteger(input)
        _ = try reader.nextElement(&parts, input)
        modifiedAt = try reader.readInteger(input)
        _ = try reader.nextElement(&parts, input)
        deletedAt = try Self.readOptional(&reader, input)
        _ = try reader.nextElement(&parts, input)
        conflictCount = Int(clamping: try reader.readInteger(input))
        _ = try reader.nextElement(&parts, input)
        siteName = try reader.readTextString(input)
        _ = try reader.nextElement(&parts, input)
        appearanceFetchedAt = try Self.readOptional(&reader, input)
        _ = try reader.nextElement(&parts, input)
    }

    fileprivate static func write(_ number: Int64?, into writer: inout CBORWriter) {
        if let number { writer.write(integer: number) } else { writer.writeNull() }
    }

    fileprivate static func readOptional(
        _ reader: inout CBORReader,
        _ input: Span<UInt8>
    ) throws(CBORError) -> Int64? {
        guard try reader.peekType(input) == .null else { return try reader.readInteger(input) }
        try reader.readNull(input)
        return nil
    }
}

extension ItemSummary.Passkey {
    fileprivate func encode(into writer: inout CBORWriter) {
        writer.writeArray(count: 11)
        writer.write(bytes: credentialID.bytes)
        writer.write(text: rpID)
        writer.write(bytes: userHandle.bytes)
        writer.write(text: userName)
        writer.write(text: userDisplayName)
        writer.write(integer: Int64(algorithm.rawValue))
        writer.write(bool: isHidden)
        writer.write(integer: createdAt)
        ItemSummary.write(lastUsedAt, into: &writer)
        ItemSummary.write(protection.map { Int64($0) }, into: &writer)
        writer.write(bool: isBackupEligible)
    }

    fileprivate init(_ reader: inout CBORReader, _ input: Span<UInt8>) throws(CBORError) {
        var parts = try reader.readArray(input)
        guard parts.count == 11 else { throw CBORError(.unexpectedType, at: reader.offset) }
        _ = try reader.nextElement(&parts, input)
        guard let credentialID = CredentialID(CBORReader.copy(try reader.readBytes(input), of: input)) else {
            throw CBORError(.unexpectedType, at: reader.offset)
        }
        self.credentialID = credentialID
        _ = try reader.nextElement(&parts, input)
        rpID = try reader.readTextString(input)
        _ = try reader.nextElement(&parts, input)
        guard let userHandle = UserHandle(CBORReader.copy(try reader.readBytes(input), of: input)) else {
            throw CBORError(.unexpectedType, at: reader.offset)
        }
        self.userHandle = userHandle
        _ = try reader.nextElement(&parts, input)
        userName = try reader.readTextString(input)
        _ = try reader.nextElement(&parts, input)
        userDisplayName = try reader.readTextString(input)
        _ = try reader.nextElement(&parts, input)
        algorithm = COSEAlgorithmIdentifier(rawValue: Int(clamping: try reader.readInteger(input)))
        _ = try reader.nextElement(&parts, input)
        isHidden = try reader.readBool(input)
        _ = try reader.nextElement(&parts, input)
        createdAt = try reader.readInteger(input)
        _ = try reader.nextElement(&parts, input)
        lastUsedAt = try ItemSummary.readOptional(&reader, input)
        _ = try reader.nextElement(&parts, input)
        protection = try ItemSummary.readOptional(&reader, input).map { Int(clamping: $0) }
        _ = try reader.nextElement(&parts, input)
        isBackupEligible = try reader.readBool(input)
        _ = try reader.nextElement(&parts, input)
    }
}
