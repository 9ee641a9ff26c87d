import Foundation
import Testing
import WardDomains
import WardTesting
import WardWebAuthn

/// The ASCII form of a domain in Unicode, as tests need it: Punycode (RFC 3492) without any mapping but to lower case.
enum Punycode {
    static func domain(_ text: String) -> String {
        text.lowercased().split(separator: ".", omittingEmptySubsequences: false).map { label($0) }.joined(
            separator: "."
        )
    }

    private static func label(_ text: Substring) -> String {
        let scalars = text.unicodeScalars.map { Int($0.value) }
        var output = text.unicodeScalars.filter(\.isASCII).map { Character($0) }
        guard output.count < scalars.count else { return String(text) }
        let basic = output.count
        if basic > 0 { output.append("-") }
        var (next, delta, bias, handled) = (128, 0, 72, basic)
        while handled < scalars.count {
            let smallest = scalars.filter { $0 >= next }.min() ?? next
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                var (rest, position) = (delta, 36)
                while true {
                    let threshold = min(max(position - bias, 1), 26)
                    guard rest >= threshold else { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    position += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return "xn--" + String(output)
    }

    private static func digit(_ value: Int) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? value + 97 : value - 26 + 48)))
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var position = 0
        while delta > 455 {
            delta /= 35
            position += 36
        }
        return position + 36 * delta / (delta + 38)
    }
}

@Suite struct `The public suffix list` {
    @Test func `Punycode is that of the RFC`() {
        #expect(Punycode.domain("Bücher.example") == "xn--bcher-kva.example")
        #expect(Punycode.domain("食狮.公司.cn") == "xn--85x722f.xn--55qx5d.cn")
        #expect(Punycode.domain("中国") == "xn--fiqs8s")
    }

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `every case of the list's own test file is decided as there`() throws {
        let path = try #require(TestVectors.url("psl/public_suffix_list.dat")?.path)
        let list = try #require(PublicSuffixList(path: path))
        let file = String(decoding: try #require(TestVectors.bytes("psl/test_psl.txt")), as: UTF8.self)
        var count = 0
        for line in file.split(separator: "\n") where line.hasPrefix("checkPublicSuffix(") {
            let arguments = line.dropFirst("checkPublicSuffix(".count).prefix { $0 != ")" }.split(separator: ", ")
            let (name, expected) = (unquoted(arguments[0]), unquoted(arguments[1]))
            guard let name else { continue }
            count += 1
            // A name that cannot be one (a leading dot) has no registrable domain either.
            let domain = try? DomainName(Punycode.domain(name))
            let found = domain.flatMap { list.registrableDomain(of: $0) }
            #expect(found?.description == expected.map(Punycode.domain), "\(line)")
            if let domain { #expect(list.isPublicSuffix(domain) == (expected == nil), "\(line)") }
        }
        #expect(count == 77)
    }

    private func unquoted(_ argument: Substring) -> String? {
        argument.hasPrefix("'") ? String(argument.dropFirst().dropLast()) : nil
    }

    @Test func `the system's list knows the usual suffixes, and one label is always public`() throws {
        let list = PublicSuffixList.system
        for text in ["com", "co.uk", "github.io", "unlisted", "localhost"] {
            #expect(list.isPublicSuffix(try DomainName(text)), "\(text)")
            #expect(list.registrableDomain(of: try DomainName(text)) == nil, "\(text)")
        }
        #expect(list.registrableDomain(of: try DomainName("a.b.example.co.uk"))?.description == "example.co.uk")
    }

    /// No library, and one that has other functions.
    static let missing = ["libnothing.so.5", "libc.so.6"].map { PublicSuffixList(library: $0) }

    @Test func `the system's list is there`() {
        #expect(PublicSuffixList.system.isAvailable)
    }

    @Test(arguments: missing)
    func `without a list no domain is shared by the hosts below it`(list: PublicSuffixList) throws {
        #expect(!list.isAvailable)
        for text in ["example.com", "a.example.co.uk", "com"] {
            #expect(list.isPublicSuffix(try DomainName(text)))
            #expect(list.registrableDomain(of: try DomainName(text)) == nil)
        }
        let error = #expect(throws: OriginError.self) { try RelyingPartyID("example.com", suffixes: list) }
        #expect(error?.code == .noPublicSuffixList)
        #expect(error?.detail.contains("libpsl is not installed") == true)
        // That is known without a list.
        let suffix = #expect(throws: OriginError.self) { try RelyingPartyID("com", suffixes: list) }
        #expect(suffix?.code == .publicSuffix)
        #expect(try RelyingPartyID("localhost", suffixes: list).covers(try WebOrigin("http://a.localhost")))
    }

    @Test(arguments: missing)
    func `without a list an RP ID is for one host`(list: PublicSuffixList) throws {
        let id = try RelyingPartyID(host: "example.com", suffixes: list)
        #expect(id.isHostOnly)
        #expect(id.covers(try WebOrigin("https://example.com")))
        #expect(!id.covers(try WebOrigin("https://login.example.com")))
    }

    @Test(arguments: missing)
    func `without a list no origin is related`(list: PublicSuffixList) throws {
        let origin = try WebOrigin("https://example.net")
        let error = #expect(throws: OriginError.self) { try RelatedOrigins([origin], suffixes: list) }
        #expect(error?.code == .noPublicSuffixList)
        let document = Array(#"{"origins":["https://example.net"]}"#.utf8)
        #expect(RelatedOrigins.allows(document: document, origin: origin))
        #expect(!RelatedOrigins.allows(document: document, origin: origin, suffixes: list))
    }

    @Test func `a file that is no suffix list loads nothing`() {
        #expect(PublicSuffixList(path: "/nowhere/public_suffix_list.dat") == nil)
    }
}
