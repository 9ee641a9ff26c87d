internal import WardText
public import WardWebAuthn

/// The lists of credentials that a service's accounts have, without the IDs.
///
/// Decoys get lists of the same shapes.
///
/// Create it from real accounts, and store it. If it changes, the decoys change too.
public struct DecoyShapes: Hashable, Sendable {
    /// One credential of a list.
    public struct Credential: Hashable, Sendable {
        /// The length of the credential's ID, in bytes.
        public var idLength: Int
        /// The transports of the credential, in their order.
        ///
        /// The list can be empty.
        public var transports: [AuthenticatorTransport]

        /// Creates a shape.
        public init(idLength: Int, transports: [AuthenticatorTransport]) {
            self.idLength = idLength
            self.transports = transports
        }

        /// The shape of a credential.
        public init(_ descriptor: PublicKeyCredentialDescriptor) {
            self.init(idLength: descriptor.id.bytes.count, transports: descriptor.transports)
        }
    }

    /// The lists, and the number of accounts that have each.
    ///
    /// Their order does not depend on the order of the accounts.
    package let lists: [(credentials: [Credential], count: UInt64)]
    private let total: UInt64

    /// Counts the lists of accounts, or returns `nil` if no account has a credential.
    ///
    /// - Parameter accounts: The credentials of each account, oldest first. Accounts without credentials do not count:
    ///   answer them like an unknown name.
    public init?(of accounts: some Sequence<[PublicKeyCredentialDescriptor]>) {
        var counts: [[Credential]: UInt64] = [:]
        for account in accounts where !account.isEmpty { counts[account.map { Credential($0) }, default: 0] += 1 }
        self.init(counts)
    }

    private init?(_ counts: [[Credential]: UInt64]) {
        // The reader of JSON limits the size of the encoded form. Rare lists beyond this limit are left out.
        var room = 3_500
        var kept: [(credentials: [Credential], count: UInt64)] = []
        var sum: UInt64 = 0
        for (list, count) in counts.sorted(by: { ($0.value, Self.text($0.key)) > ($1.value, Self.text($1.key)) }) {
            room -= 5 + list.reduce(0) { $0 + 6 + $1.transports.count }
            guard room >= 0 else { break }
            kept.append((list, count))
            let (next, overflow) = sum.addingReportingOverflow(count)
            guard !overflow else { return nil }
            sum = next
        }
        guard sum > 0 else { return nil }
        self.init(lists: kept, total: sum)
    }

    private init(lists: [(credentials: [Credential], count: UInt64)], total: UInt64) {
        self.total = total
        self.lists = lists.sorted { Self.text($0.credentials) < Self.text($1.credentials) }
    }

    /// Typical lists of a service with many accounts: synced passkeys, one device, security keys, and several of them.
    ///
    /// Use it for a service with too few accounts of its own.
    public static let typical: DecoyShapes = {
        func credential(_ length: Int, _ transports: AuthenticatorTransport...) -> Credential {
            Credential(idLength: length, transports: transports)
        }
        let (apple, google) = (credential(20, .hybrid, .internal), credential(16, .hybrid, .internal))
        let (device, key) = (credential(32, .internal), credential(64, .nfc, .usb))
        let lists: [(credentials: [Credential], count: UInt64)] = [
            ([apple], 26), ([google], 22), ([credential(32, .hybrid, .internal)], 10), ([device], 12), ([key], 5),
            ([credential(48, .usb)], 3), ([credential(32)], 2), ([apple, google], 5), ([google, device], 4),
            ([key, key], 4), ([apple, device], 3), ([apple, google, device], 2), ([apple, key, key], 2),
        ]
        return DecoyShapes(lists: lists, total: lists.reduce(0) { $0 &+ $1.count })
    }()

    /// The list for a number between 0 and the largest number.
    func list(at point: UInt64) -> [Credential] {
        // The high half of the product distributes the numbers evenly over the counts.
        var left = total.multipliedFullWidth(by: point).high
        for list in lists {
            if left < list.count { return list.credentials }
            left -= list.count
        }
        return lists.last?.credentials ?? []
    }

    private static func text(_ list: [Credential]) -> String {
        list.map { "\($0.idLength) \($0.transports.map(\.rawValue))" }.description
    }

    /// Shapes are equal if the same lists have the same counts.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.lists.elementsEqual(rhs.lists) { $0 == $1 }
    }

    /// Hashes the lists and their counts.
    public func hash(into hasher: inout Hasher) {
        for list in lists {
            hasher.combine(list.credentials)
            hasher.combine(list.count)
        }
    }
}

extension DecoyShapes {
    /// The shapes as bytes, for storage in a database.
    public var encoded: [UInt8] {
        let lists = lists.map { list in
            let credentials = list.credentials.map { credential -> JSONValue in
                [
                    "length": .integer(Int64(credential.idLength)),
                    "transports": .array(credential.transports.map { .string($0.rawValue) }),
                ]
            }
            return ["count": .integer(Int64(clamping: list.count)), "credentials": .array(credentials)] as JSONValue
        }
        return JSONValue.array(lists).serialized
    }

    /// Reads ``encoded``, or returns `nil` if the bytes are damaged.
    public init?(encoded: [UInt8]) {
        guard let lists = (try? JSONValue(encoded))?.arrayValue else { return nil }
        var counts: [[Credential]: UInt64] = [:]
        for list in lists {
            guard case .integer(let count) = list["count"], count > 0, let items = list["credentials"]?.arrayValue
            else { return nil }
            let credentials = items.compactMap { item -> Credential? in
                guard case .integer(let length) = item["length"], (1...1023).contains(length),
                    let transports = item["transports"]?.arrayValue?.map(\.stringValue)
                else { return nil }
                return Credential(
                    idLength: Int(length),
                    transports: transports.compactMap { $0.map { AuthenticatorTransport(rawValue: $0) } }
                )
            }
            guard credentials.count == items.count, !credentials.isEmpty else { return nil }
            counts[credentials] = UInt64(count)
        }
        self.init(counts)
    }
}
