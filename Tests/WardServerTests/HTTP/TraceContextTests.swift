import HTTPTypes
import Testing
import WardServer

@Suite struct `The trace of a request` {
    private static let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `is read in version 00, and the first parts of later ones`() throws {
        let context = try #require(TraceContext(traceparent: Self.valid))
        #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && context.flags == "01")
        #expect(context.parentID == "00f067aa0ba902b7" && context.text == Self.valid)
        let later = Self.valid.replacing("00-4", with: "cc-4")
        #expect(TraceContext(traceparent: later) == context)
        #expect(TraceContext(traceparent: later + "-what-else") == context)
    }

    @Test(arguments: [
        "", "00", "-", valid + "-", valid + "-00", valid + "0", String(valid.dropLast()), valid.uppercased(),
        "ff" + valid.dropFirst(2), "0g" + valid.dropFirst(2), "cc" + valid.dropFirst(2) + "0",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01", valid.replacing("-", with: "_"),
        valid.replacing("4b", with: "é"), String(repeating: "-", count: 10_000),
    ])
    func `is not read from anything else`(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test func `goes on with a span of its own`() throws {
        let parent = try #require(TraceContext(traceparent: Self.valid))
        let children = (0..<100).map { _ in parent.child() }
        #expect(Set(children.map(\.parentID)).count == 100)
        for child in children {
            #expect(child.traceID == parent.traceID && child.flags == parent.flags && child.parentID != parent.parentID)
            #expect(TraceContext(traceparent: child.text) == child)
        }
    }

    @Test func `is taken from trusted proxies alone, and is in the answer`() async throws {
        for (proxies, isTaken) in [(["unix"], true), (["127.0.0.1"], false), (["none"], false), ([], false)] {
            var configuration = ServerConfiguration()
            configuration.trustedProxies = proxies
            try await withService(configuration) { world in
                let name = try #require(HTTPField.Name("traceparent"))
                let answered = try #require(HTTPField.Name("traceresponse"))
                let visitor = world.visitor()
                #expect(try await visitor.get("configuration").headers[answered] == nil)
                visitor.fields[name] = Self.valid
                for path in ["configuration", "account", "/nothing"] {
                    let field = try await visitor.get(path).headers[answered]
                    let context = field.flatMap { TraceContext(traceparent: $0) }
                    #expect((context != nil) == isTaken && (field != nil) == isTaken, "\(path) \(proxies)")
                    if let context { #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736") }
                    #expect(context?.parentID != "00f067aa0ba902b7")
                }
                visitor.fields.append(HTTPField(name: name, value: Self.valid))
                #expect(try await visitor.get("configuration").headers[answered] == nil, "two of them")
            }
        }
    }
}
