internal import WardCOSE
internal import WardText

/// Walks through options and replaces each deviation by the standard's form.
///
/// Unknown members stay.
struct OptionsRepairer {
    private(set) var repairs: [OptionsRepair] = []

    mutating func note(_ path: String, _ quirk: OptionsRepair.Quirk) {
        repairs.append(OptionsRepair(path: path, quirk: quirk))
    }

    /// `PublicKeyCredentialCreationOptionsJSON`.
    mutating func creation(_ value: JSONValue) throws(ClientError) -> JSONValue {
        var options = try top(value)
        try options.change("rp") { (value) throws(ClientError) in try relyingParty(value) }
        try options.change("user") { (value) throws(ClientError) in try user(value) }
        try options.change("challenge") { (value) throws(ClientError) in try bytes(value, "challenge") }
        try options.change("pubKeyCredParams") { (value) throws(ClientError) in try parameters(value) }
        options.change("timeout") { timeout($0) }
        try options.change("excludeCredentials") { (value) throws(ClientError) in
            try descriptors(value, "excludeCredentials")
        }
        options.change("authenticatorSelection") { selection($0) }
        options.change("hints") { strings($0, "hints") }
        options.change("attestation") { hint($0, "attestation") }
        options.change("attestationFormats") { strings($0, "attestationFormats") }
        try options.change("extensions") { (value) throws(ClientError) in try extensions(value) }
        return .object(options.members)
    }

    /// `PublicKeyCredentialRequestOptionsJSON`.
    mutating func request(_ value: JSONValue) throws(ClientError) -> JSONValue {
        var options = try top(value)
        try options.change("challenge") { (value) throws(ClientError) in try bytes(value, "challenge") }
        options.change("timeout") { timeout($0) }
        try options.change("allowCredentials") { (value) throws(ClientError) in
            try descriptors(value, "allowCredentials")
        }
        options.change("userVerification") { hint($0, "userVerification") }
        options.change("hints") { strings($0, "hints") }
        try options.change("extensions") { (value) throws(ClientError) in try extensions(value) }
        return .object(options.members)
    }

    // MARK: Parts

    private mutating func top(_ value: JSONValue) throws(ClientError) -> Members {
        if case .object(let members) = value, members.count == 1, members[0].name == "publicKey" {
            note("publicKey", .wrapped)
            return try object(members[0].value, "")
        }
        return try object(value, "")
    }

    /// The members that are present; `null` counts as absent.
    private mutating func object(_ value: JSONValue, _ path: String) throws(ClientError) -> Members {
        guard case .object(let members) = value else {
            throw ClientError(.type, "\(path.isEmpty ? "the options" : path) must be an object")
        }
        return Members(withoutNull(members, path))
    }

    private mutating func withoutNull(_ members: [JSONValue.Member], _ path: String) -> [JSONValue.Member] {
        members.filter { member in
            guard member.value == .null else { return true }
            note(path.isEmpty ? member.name : "\(path).\(member.name)", .nullMember)
            return false
        }
    }

    private mutating func relyingParty(_ value: JSONValue) throws(ClientError) -> JSONValue {
        var rp = try object(value, "rp")
        rp.change("name") { text($0, "rp.name") }
        if rp["name"] == nil {
            // Level 3 has deprecated the name; prompts show the RP ID.
            note("rp.name", .missingName)
            rp["name"] = rp["id"] ?? ""
        }
        return .object(rp.members)
    }

    private mutating func user(_ value: JSONValue) throws(ClientError) -> JSONValue {
        var user = try object(value, "user")
        try user.change("id") { (value) throws(ClientError) in try bytes(value, "user.id") }
        for name in ["name", "displayName"] {
            user.change(name) { text($0, "user.\(name)") }
        }
        if user["name"] == nil {
            note("user.name", .missingName)
            user["name"] = user["displayName"] ?? ""
        }
        if user["displayName"] == nil {
            note("user.displayName", .missingName)
            user["displayName"] = ""
        }
        return .object(user.members)
    }

    private mutating func parameters(_ value: JSONValue) throws(ClientError) -> JSONValue {
        guard case .array(let entries) = value else { throw ClientError(.type, "pubKeyCredParams must be an array") }
        var kept: [JSONValue] = []
        for (index, entry) in entries.enumerated() {
            let path = "pubKeyCredParams[\(index)]"
            var members = try object(entry, path)
            guard let alg = integer(members["alg"] ?? .null, "\(path).alg"), let number = Int(exactly: alg),
                Self.algorithms.contains(COSEAlgorithmIdentifier(rawValue: number))
            else {
                note("\(path).alg", .unknownAlgorithm)
                continue
            }
            members["alg"] = .integer(alg)
            kept.append(.object(members.members))
        }
        // An empty list means ES256 and RS256, so a list must not become empty when unknown entries are removed.
        guard !kept.isEmpty || entries.isEmpty else {
            throw ClientError(.notSupported, "pubKeyCredParams has no known algorithm")
        }
        return .array(kept)
    }

    private mutating func descriptors(_ value: JSONValue, _ path: String) throws(ClientError) -> JSONValue {
        guard case .array(let entries) = value else { throw ClientError(.type, "\(path) must be an array") }
        var descriptors: [JSONValue] = []
        for (index, entry) in entries.enumerated() {
            let path = "\(path)[\(index)]"
            var members = try object(entry, path)
            // A malformed credential ID is never left out: without its last entry an allow list would allow any
            // credential, and an exclude list would exclude none.
            try members.change("id") { (value) throws(ClientError) in try bytes(value, "\(path).id") }
            members.change("transports") { strings($0, "\(path).transports") }
            descriptors.append(.object(members.members))
        }
        return .array(descriptors)
    }

    private mutating func selection(_ value: JSONValue) -> JSONValue? {
        guard var selection = lenientObject(value, "authenticatorSelection") else { return nil }
        for name in ["authenticatorAttachment", "residentKey", "userVerification"] {
            selection.change(name) { hint($0, "authenticatorSelection.\(name)") }
        }
        selection.change("requireResidentKey") { bool($0, "authenticatorSelection.requireResidentKey") }
        return .object(selection.members)
    }

    private mutating func extensions(_ value: JSONValue) throws(ClientError) -> JSONValue? {
        guard var extensions = lenientObject(value, "extensions") else { return nil }
        for name in Self.booleanExtensions {
            extensions.change(name) { bool($0, "extensions.\(name)") }
        }
        try extensions.change("credBlob") { (value) throws(ClientError) in try bytes(value, "extensions.credBlob") }
        try extensions.change("largeBlob") { (value) throws(ClientError) in
            var blob = try object(value, "extensions.largeBlob")
            blob.change("read") { bool($0, "extensions.largeBlob.read") }
            try blob.change("write") { (value) throws(ClientError) in try bytes(value, "extensions.largeBlob.write") }
            return .object(blob.members)
        }
        try extensions.change("prf") { (value) throws(ClientError) in try prf(value) }
        return .object(extensions.members)
    }

    private mutating func prf(_ value: JSONValue) throws(ClientError) -> JSONValue? {
        guard var prf = lenientObject(value, "extensions.prf") else { return .object([]) }
        try prf.change("eval") { (value) throws(ClientError) in try prfValues(value, "extensions.prf.eval") }
        try prf.change("evalByCredential") { (value) throws(ClientError) in
            let path = "extensions.prf.evalByCredential"
            var entries: [JSONValue.Member] = []
            for member in try object(value, path).members {
                entries.append(.init(member.name, try prfValues(member.value, "\(path).\(member.name)")))
            }
            return .object(entries)
        }
        return .object(prf.members)
    }

    private mutating func prfValues(_ value: JSONValue, _ path: String) throws(ClientError) -> JSONValue {
        var values = try object(value, path)
        for name in ["first", "second"] {
            try values.change(name) { (value) throws(ClientError) in try bytes(value, "\(path).\(name)") }
        }
        return .object(values.members)
    }

    /// An object that may be absent.
    ///
    /// `[]` and any other value that is not an object count as absent.
    private mutating func lenientObject(_ value: JSONValue, _ path: String) -> Members? {
        switch value {
        case .object(let members): return Members(withoutNull(members, path))
        case .array([]): note(path, .emptyArrayForObject)
        default: note(path, .malformedHint)
        }
        return nil
    }

    private static let booleanExtensions = [
        "credProps", "hmacCreateSecret", "minPinLength", "getCredBlob", "uvm", "enforceCredentialProtectionPolicy",
    ]

    /// The known algorithms.
    ///
    /// The authenticator decides which algorithms it supports.
    private static let algorithms = Set(COSEAlgorithmIdentifier.supported + [.mlDSA44, .es256K, .ed448])
}

/// The members of one object during the repair.
struct Members {
    private(set) var members: [JSONValue.Member]

    init(_ members: [JSONValue.Member]) {
        self.members = members
    }

    subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(.init(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Replaces a member by the result of `repair`, or removes it.
    mutating func change(_ name: String, _ repair: (JSONValue) throws(ClientError) -> JSONValue?) throws(ClientError) {
        guard let value = self[name] else { return }
        self[name] = try repair(value)
    }

    /// Replaces a member by the result of `repair`, or removes it.
    mutating func change(_ name: String, _ repair: (JSONValue) -> JSONValue?) {
        guard let value = self[name] else { return }
        self[name] = repair(value)
    }
}
