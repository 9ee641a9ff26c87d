internal import WardCBOR

extension CBORRules {
    /// A key is one flat map; the longest string in it is an ML-DSA-87 key.
    static let coseKey = CBORRules(maximumDepth: 3, maximumItems: 64, maximumLength: 4096)
}

extension COSEKey {
    /// The labels of a public key (RFC 9052, section 7.1; RFC 9053, section 7; RFC 8230, section 4).
    private enum Label {
        static let keyType: Int64 = 1
        static let algorithm: Int64 = 3
        static let keyOperations: Int64 = 4
        /// A curve, a modulus, or a whole public key.
        static let first: Int64 = -1
        /// The x coordinate or an exponent.
        static let second: Int64 = -2
        /// The y coordinate.
        static let third: Int64 = -3
        /// Private parts of every known type.
        static let fourth: Int64 = -4
    }

    /// The value of one parameter, by type.
    private enum Parameter {
        case absent
        case integer(Int64)
        case bytes(Range<Int>)
        case bool
        case other

        var isAbsent: Bool {
            if case .absent = self { return true }
            return false
        }
    }

    /// The parameters of a COSE_Key map, before they are interpreted.
    private struct Parameters {
        var keyType = Parameter.absent
        var algorithm = Parameter.absent
        var first = Parameter.absent
        var second = Parameter.absent
        var third = Parameter.absent
        var hasFourthOrFurther = false
        var mayVerify = true
    }

    /// Reads one map and checks that its parameters match.
    static func parse(_ input: Span<UInt8>, with reader: inout CBORReader) throws(COSEError) -> Contents {
        let start = reader.offset
        let parameters: Parameters
        do {
            parameters = try readParameters(input, with: &reader)
        } catch {
            throw COSEError(.malformed, "\(error)")
        }
        guard reader.offset - start <= 8192 else { throw COSEError(.keyTooLarge, "\(reader.offset - start) bytes") }
        return try bind(parameters, in: input)
    }

    private static func readParameters(
        _ input: Span<UInt8>,
        with reader: inout CBORReader
    ) throws(CBORError) -> Parameters {
        var parameters = Parameters()
        var map = try reader.readMap(input)
        while let key = try reader.nextKey(&map, input) {
            switch key {
            case .integer(Label.keyType): parameters.keyType = try readParameter(input, with: &reader)
            case .integer(Label.algorithm): parameters.algorithm = try readParameter(input, with: &reader)
            case .integer(Label.first): parameters.first = try readParameter(input, with: &reader)
            case .integer(Label.second): parameters.second = try readParameter(input, with: &reader)
            case .integer(Label.third): parameters.third = try readParameter(input, with: &reader)
            case .integer(Label.keyOperations): parameters.mayVerify = try readOperations(input, with: &reader)
            case .integer(-12...Label.fourth):
                parameters.hasFourthOrFurther = true
                _ = try reader.skip(input)
            case .integer, .text:
                _ = try reader.skip(input)
            }
        }
        return parameters
    }

    private static func readParameter(
        _ input: Span<UInt8>,
        with reader: inout CBORReader
    ) throws(CBORError) -> Parameter {
        switch try reader.peekType(input) {
        case .unsigned, .negative: return .integer(try reader.readInteger(input))
        case .bytes: return .bytes(try reader.readBytes(input))
        case .bool:
            _ = try reader.readBool(input)
            return .bool
        case .text, .array, .map, .null, .float:
            _ = try reader.skip(input)
            return .other
        }
    }

    /// Whether "verify" (2, or by name) is among the operations.
    private static func readOperations(_ input: Span<UInt8>, with reader: inout CBORReader) throws(CBORError) -> Bool {
        var mayVerify = false
        var operations = try reader.readArray(input)
        while try reader.nextElement(&operations, input) {
            switch try reader.peekType(input) {
            case .unsigned:
                if try reader.readUnsigned(input) == 2 { mayVerify = true }
            case .text:
                if CBORReader.isText("verify", at: try reader.readText(input), in: input) { mayVerify = true }
            case .negative, .bytes, .array, .map, .bool, .null, .float:
                _ = try reader.skip(input)
            }
        }
        return mayVerify
    }

    /// Checks that the parameters match: first the algorithm, then the key type, then the type's parameters.
    private static func bind(_ parameters: Parameters, in input: Span<UInt8>) throws(COSEError) -> Contents {
        let algorithm = COSEAlgorithmIdentifier(rawValue: Int(try integer(parameters.algorithm, "alg")))
        let keyType = try integer(parameters.keyType, "kty")
        let scheme = try algorithm.requireScheme()
        guard keyType == scheme.keyType.rawValue else {
            throw COSEError(.keyTypeMismatch, "\(algorithm.name) with key type \(keyType)")
        }
        guard parameters.mayVerify else { throw COSEError(.keyOperations) }
        let layout: Layout
        switch scheme {
        case .ecdsa(let curve):
            try require(curve, by: parameters.first, of: algorithm)
            try refusePrivate(parameters.hasFourthOrFurther)
            let x = try coordinate(parameters.second, "x", of: curve)
            if case .bool = parameters.third { throw COSEError(.compressedPoint) }
            layout = .ec2(curve, x: x, y: try coordinate(parameters.third, "y", of: curve))
        case .ed25519:
            try require(.ed25519, by: parameters.first, of: algorithm)
            try refusePrivate(parameters.hasFourthOrFurther)
            let x = try coordinate(parameters.second, "x", of: .ed25519)
            try Ed25519Point.check(x, in: input)
            layout = .okp(.ed25519, x: x)
        case .rsa:
            try refusePrivate(parameters.hasFourthOrFurther || !parameters.third.isAbsent)
            let n = try bytes(parameters.first, "n")
            let e = try bytes(parameters.second, "e")
            try RSANumbers.check(modulus: n, exponent: e, in: input)
            layout = .rsa(n: n, e: e)
        case .mlDSA65, .mlDSA87:
            try refusePrivate(!parameters.second.isAbsent)
            let publicKey = try bytes(parameters.first, "pub")
            guard publicKey.count == scheme.publicKeyLength else {
                throw COSEError(.wrongLength, "public key of \(publicKey.count) bytes for \(algorithm.name)")
            }
            layout = .akp(publicKey)
        }
        return Contents(algorithm: algorithm, scheme: scheme, layout: layout)
    }

    private static func refusePrivate(_ isPresent: Bool) throws(COSEError) {
        if isPresent { throw COSEError(.privateParameter) }
    }

    private static func require(
        _ curve: Curve,
        by parameter: Parameter,
        of algorithm: COSEAlgorithmIdentifier
    ) throws(COSEError) {
        let number = try integer(parameter, "crv")
        guard number == Int64(curve.rawValue) else {
            throw COSEError(.curveMismatch, "\(algorithm.name) with curve \(number)")
        }
    }

    private static func coordinate(_ parameter: Parameter, _ name: String, of curve: Curve) throws(COSEError) -> Range<
        Int
    > {
        let range = try bytes(parameter, name)
        guard range.count == curve.coordinateLength else {
            throw COSEError(.wrongLength, "\(name) of \(range.count) bytes, not \(curve.coordinateLength)")
        }
        return range
    }

    private static func integer(_ parameter: Parameter, _ name: String) throws(COSEError) -> Int64 {
        switch parameter {
        case .integer(let value): return value
        case .absent: throw COSEError(.missingParameter, name)
        case .bytes, .bool, .other: throw COSEError(.malformed, "\(name) is not an integer")
        }
    }

    private static func bytes(_ parameter: Parameter, _ name: String) throws(COSEError) -> Range<Int> {
        switch parameter {
        case .bytes(let range): return range
        case .absent: throw COSEError(.missingParameter, name)
        case .integer, .bool, .other: throw COSEError(.malformed, "\(name) is not a byte string")
        }
    }
}
