import Testing
import WardRelyingParty
import WardText
import WardWebAuthn

@Suite struct `Ceremonies that the page keeps` {
    private static let secret = [UInt8](repeating: 7, count: CeremonySeal.secretLength)

    private static func begun() throws -> (seal: CeremonySeal, ceremony: Ceremony) {
        let relyingParty = try RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"])
        var request = AuthenticationRequest()
        request.userVerification = .required
        request.boundOrigin = try Origin("https://example.org")
        request.context = [3]
        return (
            try #require(CeremonySeal(secret: secret)), relyingParty.authenticationOptions(request: request).ceremony
        )
    }

    @Test func `come back as they were`() throws {
        let (seal, ceremony) = try Self.begun()
        #expect(seal.open(seal.seal(ceremony)) == ceremony)
    }

    @Test func `are refused with any bit changed, cut short, or with bytes behind them`() throws {
        let (seal, ceremony) = try Self.begun()
        let bytes = try #require(Base64URL.decode(seal.seal(ceremony)))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(seal.open(Base64URL.encode(changed)) == nil)
        }
        for count in bytes.indices { #expect(seal.open(Base64URL.encode(Array(bytes.prefix(count)))) == nil) }
        #expect(seal.open(Base64URL.encode(bytes + [0])) == nil)
        #expect(seal.open("") == nil && seal.open("?") == nil)
        #expect(seal.open(String(repeating: "A", count: 1_000_000)) == nil)
    }

    @Test func `of another service are refused`() throws {
        let (seal, ceremony) = try Self.begun()
        let other = try #require(CeremonySeal(secret: [UInt8](repeating: 8, count: CeremonySeal.secretLength)))
        #expect(other.open(seal.seal(ceremony)) == nil)
        #expect(CeremonySeal(secret: Array(Self.secret.dropLast())) == nil)
    }

    @Test func `have uses of their own, in the order in which they expire`() throws {
        let (_, first) = try Self.begun()
        let (_, second) = try Self.begun()
        #expect(CeremonySeal.use(of: first) != CeremonySeal.use(of: second))
        let later = Ceremony(
            id: first.id,
            kind: .authentication,
            challenge: first.challenge,
            rpID: first.rpID,
            requiresUserVerification: true,
            isConditional: false,
            expiresAt: first.expiresAt + 256
        )
        #expect(CeremonySeal.use(of: first).lexicographicallyPrecedes(CeremonySeal.use(of: later)))
    }
}
