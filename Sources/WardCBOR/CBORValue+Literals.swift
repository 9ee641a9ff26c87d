extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// An integer written in code.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A text string written in code.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A boolean written in code.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension CBORValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// An array written in code.
    public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }

    /// A map written in code, in any order.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self = .map(elements.map { CBORPair(key: $0.0, value: $0.1) })
    }
}
