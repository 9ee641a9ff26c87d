internal import WardCBOR

extension COSEKey {
    /// Encodes a key in canonical form, with only the required parameters.
    ///
    /// - Throws: ``COSEError`` if the algorithm does not match the material, or a number is not acceptable.
    public init(algorithm: COSEAlgorithmIdentifier, material: Material) throws(COSEError) {
        var fields = CBORFields()
        func put(_ type: COSEScheme.KeyType, curve: Curve? = nil, _ parts: [(label: CBORValue, bytes: [UInt8])]) {
            fields.put(1, .integer(type.rawValue))
            fields.put(3, .integer(Int64(algorithm.rawValue)))
            fields.put(-1, curve.map { .integer(Int64($0.rawValue)) })
            for part in parts { fields.put(part.label, .bytes(part.bytes)) }
        }
        switch material {
        case .ec2(let curve, let x, let y): put(.ec2, curve: curve, [(-2, x), (-3, y)])
        case .okp(let curve, let x): put(.okp, curve: curve, [(-2, x)])
        case .rsa(let n, let e): put(.rsa, [(-1, n), (-2, e)])
        case .akp(let publicKey): put(.akp, [(-1, publicKey)])
        }
        try self.init(fields.encoded)
    }
}
