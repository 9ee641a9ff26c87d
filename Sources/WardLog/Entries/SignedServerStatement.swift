/// A statement for a server, with the signature of its subject.
package struct SignedServerStatement: Hashable, Sendable {
    package let statement: ServerStatement
    package let signature: [UInt8]

    package init(_ statement: ServerStatement, signature: [UInt8]) {
        self.statement = statement
        self.signature = signature
    }
}
