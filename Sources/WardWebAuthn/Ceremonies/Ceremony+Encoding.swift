internal import WardCBOR
internal import WardCOSE

extension Ceremony {
    /// The ceremony as canonical CBOR, for a store.
    ///
    /// It contains the challenge, and anybody who can change it can choose what is verified. So it must never leave the
    /// service.
    public var encoded: [UInt8] {
        var pairs: [(UInt64, CBORValue)] = [
            (1, .bytes(id.bytes)), (2, .unsigned(kind == .registration ? 1 : 2)), (3, .bytes(challenge.bytes)),
            (4, .text(rpID)), (5, .bool(requiresUserVerification)), (6, .bool(isConditional)),
            (7, .array(algorithms.map { CBORValue(integer: Int64($0.rawValue)) })),
        ]
        if let boundOrigin { pairs.append((8, .text(boundOrigin.description))) }
        if let user {
            pairs.append((9, .array([.bytes(user.id.bytes), .text(user.name), .text(user.displayName)])))
        }
        if let userHandle { pairs.append((10, .bytes(userHandle.bytes))) }
        pairs.append((11, .array(allowedCredentials.map { .bytes($0.bytes) })))
        if let appID { pairs.append((12, .text(appID))) }
        pairs.append((13, CBORValue(integer: expiresAt)))
        pairs.append((14, .bytes(context)))
        var writer = CBORWriter()
        writer.writeMap(count: pairs.count)
        for (key, value) in pairs {
            writer.write(unsigned: key)
            writer.write(value: value)
        }
        return writer.bytes
    }

    /// Reads a ceremony from a store.
    ///
    /// - Parameter encoded: The bytes of ``encoded``.
    /// - Throws: ``WebAuthnError`` with `malformedCeremony` if the bytes are not a ceremony.
    public init(encoded: [UInt8]) throws(WebAuthnError) {
        guard let ceremony = Self.read(encoded) else {
            throw WebAuthnError(.malformedCeremony, "the stored ceremony is malformed")
        }
        self = ceremony
    }

    private static func read(_ encoded: [UInt8]) -> Ceremony? {
        // The bytes are the service's own, and an account may have more credentials than the limit for input from
        // outside.
        let rules = CBORRules(maximumDepth: 2, maximumItems: 65_536, maximumLength: 1_048_576)
        guard case .map(let pairs)? = try? CBORValue.decode(encoded, rules: rules) else { return nil }
        var fields: [UInt64: CBORValue] = [:]
        for pair in pairs {
            guard case .unsigned(let key) = pair.key else { return nil }
            fields[key] = pair.value
        }
        guard case .bytes(let id)? = fields[1], let id = CeremonyID(id), case .unsigned(let kind)? = fields[2],
            case .bytes(let challenge)? = fields[3], let challenge = Challenge(challenge),
            case .text(let rpID)? = fields[4], case .bool(let requiresUserVerification)? = fields[5],
            case .bool(let isConditional)? = fields[6], case .array(let algorithms)? = fields[7],
            case .array(let allowed)? = fields[11], let expiresAt = fields[13]?.integer,
            case .bytes(let context)? = fields[14], kind == 1 || kind == 2
        else { return nil }
        var user: PublicKeyCredentialUserEntity?
        if let field = fields[9] {
            guard case .array(let parts) = field, parts.count == 3, case .bytes(let handle) = parts[0],
                let handle = UserHandle(handle), case .text(let name) = parts[1], case .text(let display) = parts[2]
            else { return nil }
            user = .init(id: handle, name: name, displayName: display)
        }
        var origin: Origin?
        if let field = fields[8] {
            guard case .text(let text) = field, let read = try? Origin(text) else { return nil }
            origin = read
        }
        var userHandle: UserHandle?
        if let field = fields[10] {
            guard case .bytes(let bytes) = field, let read = UserHandle(bytes) else { return nil }
            userHandle = read
        }
        var appID: String?
        if let field = fields[12] {
            guard case .text(let text) = field else { return nil }
            appID = text
        }
        let identifiers = algorithms.compactMap { $0.integer.map { COSEAlgorithmIdentifier(rawValue: Int($0)) } }
        let credentials = allowed.compactMap { field -> CredentialID? in
            if case .bytes(let bytes) = field { CredentialID(bytes) } else { nil }
        }
        // A list that lost an entry would allow more than was requested.
        guard identifiers.count == algorithms.count, credentials.count == allowed.count else { return nil }
        return Ceremony(
            id: id,
            kind: kind == 1 ? .registration : .authentication,
            challenge: challenge,
            rpID: rpID,
            requiresUserVerification: requiresUserVerification,
            isConditional: isConditional,
            algorithms: identifiers,
            boundOrigin: origin,
            user: user,
            userHandle: userHandle,
            allowedCredentials: credentials,
            appID: appID,
            expiresAt: expiresAt,
            context: context
        )
    }
}

extension CBORValue {
    fileprivate init(integer: Int64) {
        self = integer < 0 ? .negative(UInt64(-1 - integer)) : .unsigned(UInt64(integer))
    }

    fileprivate var integer: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        default: nil
        }
    }
}
