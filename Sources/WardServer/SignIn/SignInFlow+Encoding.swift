import WardAccounts
import WardText
import WardWebAuthn

extension SignInFlow {
    /// The flow as bytes for the store.
    var encoded: [UInt8] {
        let value: JSONValue = [
            "account": .string(account.text), "beginning": beginning.json, "begunAt": .integer(begunAt),
            "later": .array(later.map(\.rawValue).sorted().map { .string($0) }),
            "wrong": .integer(Int64(wrong)), "sent": .integer(Int64(sent)),
        ]
        return value.serialized
    }

    /// Reads ``encoded``, or returns `nil` for anything else.
    init?(encoded: [UInt8]) {
        guard let value = try? JSONValue(encoded),
            let account = value["account"]?.stringValue.flatMap({ AccountID(text: $0) }),
            let beginning = value["beginning"].flatMap(Beginning.init(json:)),
            case .integer(let begunAt)? = value["begunAt"], case .integer(let wrong)? = value["wrong"],
            case .integer(let sent)? = value["sent"], let words = value["later"]?.arrayValue
        else { return nil }
        let later = words.compactMap { $0.stringValue.flatMap(SignInProof.init(rawValue:)) }
        guard later.count == words.count, (0...Self.mostWrong).contains(Int(clamping: wrong)),
            (0...Self.mostSent).contains(Int(clamping: sent)), begunAt < Int64.max - Self.lifetime
        else { return nil }
        self.init(
            account,
            beginning,
            begunAt: begunAt,
            later: Set(later),
            wrong: Int(clamping: wrong),
            sent: Int(clamping: sent)
        )
    }
}

extension SignInFlow.Beginning {
    fileprivate var json: JSONValue {
        switch self {
        case .password(let chosenAt): ["password": .integer(chosenAt)]
        case .passkey(let id): ["passkey": .string(id.base64URL)]
        case .verifiedPasskey(let id): ["verifiedPasskey": .string(id.base64URL)]
        case .federated(let link): ["federated": .string(Base64URL.encode(link))]
        }
    }

    fileprivate init?(json: JSONValue) {
        if case .integer(let chosenAt)? = json["password"] {
            self = .password(chosenAt: chosenAt)
        } else if let id = json["passkey"]?.stringValue.flatMap({ CredentialID(base64URL: $0) }) {
            self = .passkey(id)
        } else if let id = json["verifiedPasskey"]?.stringValue.flatMap({ CredentialID(base64URL: $0) }) {
            self = .verifiedPasskey(id)
        } else if let link = json["federated"]?.base64URLValue {
            self = .federated(link: link)
        } else {
            return nil
        }
    }
}
