internal import WardCBOR
internal import WardCOSE

enum PackedSelf {
    static func statement(algorithm: COSEAlgorithmIdentifier, signature: [UInt8]) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMap(count: 2)
        writer.write(text: "alg")
        writer.write(integer: Int64(algorithm.rawValue))
        writer.write(text: "sig")
        writer.write(bytes: signature)
        return writer.bytes
    }
}
