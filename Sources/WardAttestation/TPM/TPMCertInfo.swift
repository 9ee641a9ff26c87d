/// What a TPM signs about one of its keys, TPMS_ATTEST with a TPMS_CERTIFY_INFO in it.
///
/// TPM 2.0 Library, Part 2, sections 10.12.8 and 10.12.3.
public struct TPMCertInfo: Hashable, Sendable {
    /// The bytes as received; they are what is signed.
    public let bytes: [UInt8]
    /// Who signed, by name and place in the hierarchy.
    public let qualifiedSigner: [UInt8]
    /// What the caller had signed along: here the hash of authenticator data and client data.
    public let extraData: [UInt8]
    /// Milliseconds the TPM was powered.
    public let clock: UInt64
    /// How often the TPM was reset.
    public let resetCount: UInt32
    /// How often the TPM was restarted or resumed.
    public let restartCount: UInt32
    /// Whether the clock was never set back.
    public let isClockSafe: Bool
    /// The vendor's number of the firmware.
    public let firmwareVersion: UInt64
    /// The name of the key that is spoken of.
    public let attestedName: [UInt8]
    /// Its name and place in the hierarchy.
    public let attestedQualifiedName: [UInt8]

    /// TPM_GENERATED_VALUE: only what a TPM made itself begins so.
    private static var generated: UInt32 { 0xff54_4347 }
    /// TPM_ST_ATTEST_CERTIFY.
    private static var certify: UInt16 { 0x8017 }

    /// Reads the structure to its last byte.
    ///
    /// - Throws: ``TPMError`` when it was not made by a TPM, speaks of something else than a key, or is cut short or left over.
    public init(_ bytes: [UInt8]) throws(TPMError) {
        self.bytes = bytes
        let input = bytes.span
        var reader = TPMReader()
        // L3 #sctn-tpm-attestation: "Verify that magic is set to TPM_GENERATED_VALUE."
        let magic = try reader.readUInt32(input)
        guard magic == Self.generated else { throw TPMError("magic is 0x\(String(magic, radix: 16))") }
        // "Verify that type is set to TPM_ST_ATTEST_CERTIFY."
        let type = try reader.readUInt16(input)
        guard type == Self.certify else { throw TPMError("type is 0x\(String(type, radix: 16))") }
        qualifiedSigner = try reader.readBuffer(input)
        extraData = try reader.readBuffer(input)
        clock = try reader.readUInt64(input)
        resetCount = try reader.readUInt32(input)
        restartCount = try reader.readUInt32(input)
        isClockSafe = try reader.readByte(input) != 0
        firmwareVersion = try reader.readUInt64(input)
        attestedName = try reader.readBuffer(input)
        attestedQualifiedName = try reader.readBuffer(input)
        try reader.finish(input)
    }
}
