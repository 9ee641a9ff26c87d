import WardAccounts
import WardText

extension SignInFlow {
    /// The flow as bytes for the store.
    var encoded: [UInt8] {
        let value: JSONValue = [
            "account": .string(account.text), "begunAt": .integer(begunAt),
            "proofs": .array(proofs.map(\.rawValue).sorted().map { .string($0) }),
            "wrong": .integer(Int64(wrong)), "sent": .integer(Int64(sent)),
        ]
        return value.serialized
    }

    /// Reads ``encoded``, or returns `nil` for anything else.
    init?(encoded: [UInt8]) {
        guard let value = try? JSONValue(encoded),
            let account = value["account"]?.stringValue.flatMap({ AccountID(text: $0) }),
            case .integer(let begunAt)? = value["begunAt"], case .integer(let wrong)? = value["wrong"],
            case .integer(let sent)? = value["sent"], let words = value["proofs"]?.arrayValue
        else { return nil }
        let proofs = words.compactMap { $0.stringValue.flatMap(SignInProof.init(rawValue:)) }
        guard proofs.count == words.count, !proofs.isEmpty, let wrong = Int(exactly: wrong), wrong >= 0,
            let sent = Int(exactly: sent), sent >= 0, begunAt < Int64.max - Self.lifetime
        else { return nil }
        self.init(account, begunAt: begunAt, proofs: Set(proofs), wrong: wrong, sent: sent)
    }
}
