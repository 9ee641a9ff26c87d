internal import WardCBOR

extension COSEKey {
    /// Encodes a key in canonical form, with only the required parameters.
    ///
    /// - Throws: ``COSEError`` if the algorithm does not match the material, or a number is not acceptable.
    public init(algorithm: COSEAlgorithmIdentifier, material: Material) throws(COSEError) {
        var writer = CBORWriter()
        func begin(_ type: COSEScheme.KeyType, count: Int) {
            writer.writeMap(count: count)
            writer.write(integer: 1)
            writer.write(integer: type.rawValue)
            writer.write(integer: 3)
            writer.write(integer: Int64(algorithm.rawValue))
        }
        func write(_ bytes: [UInt8], at label: Int64) {
            writer.write(integer: label)
            writer.write(bytes: bytes)
        }
        switch material {
        case .ec2(let curve, let x, let y):
            begin(.ec2, count: 5)
            writer.write(integer: -1)
            writer.write(integer: Int64(curve.rawValue))
            write(x, at: -2)
            write(y, at: -3)
        case .okp(let curve, let x):
            begin(.okp, count: 4)
            writer.write(integer: -1)
            writer.write(integer: Int64(curve.rawValue))
            write(x, at: -2)
        case .rsa(let n, let e):
            begin(.rsa, count: 4)
            write(n, at: -1)
            write(e, at: -2)
        case .akp(let publicKey):
            begin(.akp, count: 3)
            write(publicKey, at: -1)
        }
        try self.init(writer.bytes)
    }
}
