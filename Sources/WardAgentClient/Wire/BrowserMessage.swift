/// A message of a browser's extension that `ward-browser` may pass on to the agent.
package struct BrowserMessage: Sendable {
    /// The beginning of the names of all methods for browsers.
    package static let prefix = "browser."

    /// The request's ID.
    package let id: Envelope.ID
    /// The name of the method.
    package let method: String
    /// The message, on one line.
    package let line: [UInt8]

    /// Why a message is not passed on, and its ID if it has one.
    package struct Refusal: Error, Sendable {
        package let id: Envelope.ID?
        package let error: AgentError

        package init(id: Envelope.ID?, _ error: AgentError) {
            self.id = id
            self.error = error
        }
    }

    /// Checks a message.
    ///
    /// - Throws: ``Refusal`` if it is not a JSON-RPC request with an ID on one line, or if its method is not one for browsers.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        guard bytes.first == UInt8(ascii: "{"), !bytes.contains(where: { $0 == 0x0a || $0 == 0x0d }),
            let head = try? Envelope.decode(Envelope.Head.self, from: bytes), head.jsonrpc == "2.0"
        else {
            throw Refusal(id: nil, AgentError(.invalidRequest, "A message must be a JSON-RPC 2.0 request on one line"))
        }
        guard let id = head.id, id.isShort else {
            throw Refusal(
                id: nil,
                AgentError(.invalidRequest, "A request must have an ID: a number, or a text of at most 64 bytes")
            )
        }
        guard head.method.hasPrefix(Self.prefix) else {
            throw Refusal(
                id: id,
                AgentError(.unknownMethod, "ward-browser passes on only methods that begin with \(Self.prefix)")
            )
        }
        (self.id, method, line) = (id, head.method, bytes)
    }
}

extension Envelope.ID {
    fileprivate var isShort: Bool { if case .text(let text) = self { text.utf8.count <= 64 } else { true } }
}

/// The ID of a browser's extension.
package enum ExtensionID {
    /// Whether a text can be the ID of an extension: 32 letters from `a` to `p` in Chromium, an address or a UUID in Firefox.
    package static func isValid(_ text: String) -> Bool {
        (1...80).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "-._@{}".utf8.contains(byte)
                }
            }
    }

    /// The ID that a browser gives to `ward-browser` as an argument; `nil` if the arguments have none.
    ///
    /// Chromium gives `chrome-extension://ID/` first. Firefox gives the path of the host's manifest, and then the ID.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The ID.
    package static func given(by arguments: [String]) -> String? {
        guard let first = arguments.first else { return nil }
        let scheme = "chrome-extension://"
        let id =
            if first.hasPrefix(scheme) {
                first.hasSuffix("/") ? String(first.dropFirst(scheme.count).dropLast()) : ""
            } else {
                first.hasPrefix("/") && arguments.count >= 2 ? arguments[1] : ""
            }
        return isValid(id) ? id : nil
    }
}
