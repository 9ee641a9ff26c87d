import Testing
import WardDomains
import WardText
import WardWebAuthn

@Suite struct `Related origins` {
    private func origins(_ texts: [String]) throws -> [WebOrigin] { try texts.map { try WebOrigin($0) } }

    private func document(_ texts: [String]) -> [UInt8] {
        JSONValue.object([.init("origins", .array(texts.map { .string($0) }))]).serialized
    }

    /// The example of §5.11: ten origins with five labels.
    static let example = [
        "https://example.co.uk", "https://example.de", "https://example.sg", "https://example.net",
        "https://exampledelivery.com", "https://exampledelivery.co.uk", "https://exampledelivery.de",
        "https://exampledelivery.sg", "https://myexamplerewards.com", "https://examplecars.com",
    ]

    @Test func `the standard's example is a list, and each of its origins is allowed`() throws {
        let related = try RelatedOrigins(try origins(Self.example))
        #expect(related.json == document(Self.example))
        for origin in related.origins { #expect(RelatedOrigins.allows(document: related.json, origin: origin)) }
        #expect(!RelatedOrigins.allows(document: related.json, origin: try WebOrigin("https://example.fr")))
        #expect(!RelatedOrigins.allows(document: related.json, origin: try WebOrigin("https://example.de:8443")))
        #expect(!RelatedOrigins.allows(document: related.json, origin: try WebOrigin("https://www.example.de")))
    }

    @Test func `bug class 40: a list of more than five labels is refused when it is made`() throws {
        let five = ["a", "b", "c", "d", "e"].map { "https://\($0).com" }
        _ = try RelatedOrigins(try origins(five))
        _ = try RelatedOrigins(try origins(five + ["https://a.net", "https://www.b.co.uk", "https://e.com:444"]))
        #expect(throws: OriginError(.tooManyLabels, "")) {
            try RelatedOrigins(try origins(five + ["https://f.com"]))
        }
    }

    @Test func `an origin without a registrable domain is refused`() throws {
        for text in ["https://com", "https://co.uk", "https://localhost", "https://github.io"] {
            #expect(throws: OriginError(.notRegistrable, ""), "\(text)") { try RelatedOrigins(try origins([text])) }
        }
    }

    @Test func `bug class 40: clients pass over what comes behind the fifth label`() throws {
        let six = ["a", "b", "c", "d", "e", "f"].map { "https://\($0).com" }
        let served = document(six + ["https://a.net"])
        for text in six.prefix(5) + ["https://a.net"] {
            #expect(RelatedOrigins.allows(document: served, origin: try WebOrigin(text)), "\(text)")
        }
        #expect(!RelatedOrigins.allows(document: served, origin: try WebOrigin("https://f.com")))
    }

    @Test func `entries are read by the URL parser, and count as labels as it reads them`() throws {
        let origin = try WebOrigin("https://f.com")
        for text in [
            "https://f.com/", "https://F.com", "HTTPS://f.com/path?query#fragment", "https://f.com:443",
            "https://user@f.com", "https://f.com\\path", "https://f.com:", "https:f.com", "https:/f.com",
            "https:///f.com", "https:\\\\f.com", "https://f.com/é", "https://f.com/\u{301}",
        ] {
            #expect(RelatedOrigins.allows(document: document([text]), origin: origin), "\(text)")
        }
        let others = ["https://a.com/", "https://B.com", "http://c.com", "https://u:p@d.com", "wss://e.com"]
        #expect(RelatedOrigins.allows(document: document(Array(others.prefix(4)) + ["https://f.com"]), origin: origin))
        #expect(!RelatedOrigins.allows(document: document(others + ["https://f.com"]), origin: origin))
    }

    @Test func `entries without a domain are passed over and count as nothing`() throws {
        let none = [
            "", "f.com", "://f.com", "https://", "https://1.2.3.4", "https://com", "https://localhost", "null",
            "https:f",
            "android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "https://f.com:x",
            "https://f.com:99999",
            "https://g .com", "foo://h.com", "https://i.com:1:2",
        ]
        let origin = try WebOrigin("https://f.com")
        #expect(!RelatedOrigins.allows(document: document(none), origin: origin))
        #expect(RelatedOrigins.allows(document: document(none + ["https://f.com"]), origin: origin))
    }

    @Test func `entries that the URL parser refuses count as nothing, however many there are`() throws {
        let ports = ["1:2", "x", "99999", "+443", "-1", "4 43"]
        let refused = ["a", "b", "c", "d", "e"].flatMap { name in ports.map { "https://\(name).com:\($0)" } }
        let origin = try WebOrigin("https://f.com")
        #expect(RelatedOrigins.allows(document: document(refused + ["https://f.com"]), origin: origin))
        for port in ports {
            #expect(!RelatedOrigins.allows(document: document(["https://f.com:\(port)"]), origin: origin), "\(port)")
        }
    }

    static let noDocuments: [String] = [
        "", "[]", "null", "\"https://f.com\"", "{}", #"{"origins":null}"#, #"{"origins":"https://f.com"}"#,
        #"{"origins":{"https://f.com":1}}"#, #"{"origins":["https://f.com",1]}"#, #"{"origins":[["https://f.com"]]}"#,
        #"{"origins":["https://f.com"]"#, #"{"origins":["https://f.com"]}x"#, #"{"Origins":["https://f.com"]}"#,
    ]

    @Test(arguments: noDocuments)
    func `what is no such document allows nobody`(text: String) throws {
        #expect(!RelatedOrigins.allows(document: utf8(text), origin: try WebOrigin("https://f.com")))
    }
}
