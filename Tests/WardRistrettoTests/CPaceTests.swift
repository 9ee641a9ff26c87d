import Testing

@testable import WardRistretto

@Suite struct `A run of CPace` {
    @Test func `computes the numbers of the draft`() throws {
        typealias Numbers = DraftVectors
        let string = LengthValue.generator(
            domain: CPace.domain,
            password: Numbers.code,
            channel: Numbers.channel,
            session: Numbers.session,
            block: CPace.block
        )
        #expect(string == Numbers.generatorString && string.count == 170)
        #expect(try CPace.generator(Numbers.inputs).copy == Numbers.generator)
        let (a, b) = (try Numbers.party(.initiator), try Numbers.party(.responder))
        #expect(a.share == Numbers.shareA && b.share == Numbers.shareB)
        let product = try Self.multiply(Numbers.shareB, by: Numbers.secret(Numbers.ya))
        #expect(product.copy == Numbers.product)
        #expect(try a.finish(share: b.share, associatedData: Numbers.adb).intermediate.copy == Numbers.intermediate)
        #expect(try b.finish(share: a.share, associatedData: Numbers.ada).intermediate.copy == Numbers.intermediate)
    }

    /// The span must not outlive the call, as it would inside `#expect`.
    static func multiply(_ element: [UInt8], by scalar: SecretBytes) throws -> SecretBytes {
        try Ristretto255.multiply(element.span, by: scalar)
    }

    @Test func `writes lengths as LEB128`() {
        #expect(LengthValue.length(0) == [0] && LengthValue.length(127) == [127])
        #expect(LengthValue.length(128) == [0x80, 1] && LengthValue.length(300) == [0xac, 2])
        #expect(LengthValue.concatenate([], [7], [8, 9]) == [0, 1, 7, 2, 8, 9])
        let long = [UInt8](repeating: 1, count: 128)
        #expect(LengthValue.concatenate(long) == [0x80, 1] + long)
        // A long code leaves no room for zeros, and is whole.
        let string = LengthValue.generator(domain: [1], password: long, channel: [], session: [], block: 128)
        #expect(string == [1, 1, 0x80, 1] + long + [0, 0, 0])
    }

    @Test func `confirms a key in both directions, and not with the own tag`() throws {
        let (a, b) = (try DraftVectors.party(.initiator), try DraftVectors.party(.responder))
        let keyA = try a.finish(share: b.share, associatedData: DraftVectors.adb)
        let keyB = try b.finish(share: a.share, associatedData: DraftVectors.ada)
        #expect(keyA.isConfirmed(by: keyB.tag) && keyB.isConfirmed(by: keyA.tag))
        #expect(!keyA.isConfirmed(by: keyA.tag) && !keyB.isConfirmed(by: keyB.tag))
        #expect(!keyA.isConfirmed(by: []) && !keyA.isConfirmed(by: keyB.tag.dropLast()))
        #expect(keyA.tag.count == CPaceKey.tagLength)
        for place in keyB.tag.indices {
            var tag = keyB.tag
            tag[place] ^= 1
            #expect(!keyA.isConfirmed(by: tag))
        }
    }

    @Test func `draws another scalar each time`() throws {
        let shares = try (0..<32).map { _ in
            try CPace(.initiator, DraftVectors.inputs, associatedData: []).share
        }
        #expect(Set(shares).count == shares.count)
        #expect(shares.allSatisfy { $0.count == Ristretto255.elementLength && $0 != Ristretto255.identity })
    }

    /// Something that the parties do not have in common.
    struct Difference: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var code = DraftVectors.code
        var channel = DraftVectors.channel
        var session = DraftVectors.session
        var role = CPace.Role.responder
        var associatedData = DraftVectors.ada

        static let all = [
            Self(testDescription: "the code", code: Array("Passwore".utf8)),
            Self(testDescription: "a code that ends elsewhere", code: Array("Passwor".utf8)),
            Self(testDescription: "the channel", channel: []),
            Self(testDescription: "the session", session: [1]),
            Self(testDescription: "what the first party sent beside its share", associatedData: Array("ADA".utf8)),
            Self(testDescription: "who begins", role: .initiator),
        ]
    }

    @Test(arguments: Difference.all)
    func `confirms nothing if the parties differ`(difference: Difference) throws {
        let a = try DraftVectors.party(.initiator)
        let inputs = CPace.Inputs(code: difference.code, channel: difference.channel, session: difference.session)
        let b = try CPace(difference.role, inputs, associatedData: DraftVectors.adb)
        let keyA = try a.finish(share: b.share, associatedData: DraftVectors.adb)
        let keyB = try b.finish(share: a.share, associatedData: difference.associatedData)
        #expect(!keyA.isConfirmed(by: keyB.tag) && !keyB.isConfirmed(by: keyA.tag))
        #expect(keyA.intermediate.copy != keyB.intermediate.copy)
    }

    @Test func `does not talk to itself`() throws {
        let a = try DraftVectors.party(.initiator)
        #expect(throws: RistrettoError.reflected) {
            try a.finish(share: a.share, associatedData: DraftVectors.adb)
        }
        #expect(throws: RistrettoError.reflected) {
            try a.finish(share: DraftVectors.shareB, associatedData: DraftVectors.ada)
        }
    }

    /// Bytes that are no share.
    static let noShares: [[UInt8]] = [
        DraftVectors.noElement, Ristretto255.identity, [], [UInt8](DraftVectors.shareB.dropLast()),
        DraftVectors.shareB + [0], [UInt8](repeating: 0xff, count: 32),
        // The order of the field, which is zero in another form, and a negative number.
        [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f], [1] + [UInt8](repeating: 0, count: 31),
        // A share with the bit that other programs ignore.
        DraftVectors.shareB.dropLast() + [DraftVectors.shareB[31] | 0x80],
    ]

    @Test(arguments: noShares)
    func `refuses what is no element of the group, and the identity`(share: [UInt8]) throws {
        for role in [CPace.Role.initiator, .responder] {
            let party = try DraftVectors.party(role)
            #expect(throws: RistrettoError.notAnElement) {
                try party.finish(share: share, associatedData: Array("other".utf8))
            }
        }
    }

    @Test func `shows no secret`() throws {
        let party = try DraftVectors.party(.initiator)
        let key = try party.finish(share: DraftVectors.shareB, associatedData: DraftVectors.adb)
        for value in [party, key, key.intermediate, DraftVectors.inputs] as [Any] {
            var text = ""
            dump(value, to: &text)
            text += "\(value) " + String(reflecting: value)
            #expect(!text.contains("80") && !text.contains("Password") && text.count < 80)
        }
    }
}

@Suite struct `The group` {
    @Test func `multiplies as the draft does`() throws {
        let scalar = try DraftVectors.secret(DraftVectors.scalar)
        #expect(
            try `A run of CPace`.multiply(DraftVectors.element, by: scalar).copy == DraftVectors.multiple
        )
        #expect(throws: RistrettoError.notAnElement) {
            try `A run of CPace`.multiply(DraftVectors.noElement, by: scalar)
        }
        #expect(throws: RistrettoError.notAnElement) {
            try `A run of CPace`.multiply(Ristretto255.identity, by: scalar)
        }
    }

    @Test func `refuses a scalar that gives the identity, and other lengths`() throws {
        let zero = try DraftVectors.secret([UInt8](repeating: 0, count: 32))
        let order = try DraftVectors.secret(
            DraftVectors.bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        )
        let short = try DraftVectors.secret([1])
        for scalar in [zero, order, short] {
            #expect(throws: RistrettoError.notAnElement) {
                try `A run of CPace`.multiply(DraftVectors.element, by: scalar)
            }
        }
        #expect(throws: RistrettoError.notAnElement) { try Ristretto255.element(from: short) }
    }

    @Test func `overwrites the caller's copy of a secret`() throws {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = try SecretBytes(wiping: &bytes)
        #expect(bytes.isEmpty && secret.copy == [1, 2, 3] && secret.count == 3)
    }
}
