internal import WardCBOR
internal import WardCOSE

extension Ceremony {
    /// The ceremony as canonical CBOR, for a store.
    ///
    /// It contains the challenge, and anybody who can change it can choose what is verified. So it must never leave the
    /// service.
    public var encoded: [UInt8] {
        var fields = CBORFields()
        fields.put(1, .bytes(id.bytes))
        fields.put(2, .unsigned(kind == .registration ? 1 : 2))
        fields.put(3, .bytes(challenge.bytes))
        fields.put(4, .text(rpID))
        fields.put(5, .bool(requiresUserVerification))
        fields.put(6, .bool(isConditional))
        fields.put(7, .array(algorithms.map { .integer(Int64($0.rawValue)) }))
        fields.put(8, boundOrigin.map { .text($0.description) })
        fields.put(9, user.map { [.bytes($0.id.bytes), .text($0.name), .text($0.displayName)] })
        fields.put(10, userHandle.map { .bytes($0.bytes) })
        fields.put(11, .array(allowedCredentials.map { .bytes($0.bytes) }))
        fields.put(12, appID.map { .text($0) })
        fields.put(13, .integer(expiresAt))
        fields.put(14, .bytes(context))
        return fields.encoded
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
        guard let fields = try? CBORValue.decode(encoded, rules: rules), fields.mapValue != nil else { return nil }
        guard case .bytes(let id)? = fields[1], let id = CeremonyID(id), case .unsigned(let kind)? = fields[2],
            case .bytes(let challenge)? = fields[3], let challenge = Challenge(challenge),
            case .text(let rpID)? = fields[4], case .bool(let requiresUserVerification)? = fields[5],
            case .bool(let isConditional)? = fields[6], case .array(let algorithms)? = fields[7],
            case .array(let allowed)? = fields[11], let expiresAt = fields[13]?.integerValue,
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
        let identifiers = algorithms.compactMap { $0.integerValue.map { COSEAlgorithmIdentifier(rawValue: Int($0)) } }
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
