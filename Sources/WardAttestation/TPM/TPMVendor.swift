/// The identity of a TPM in its certificates.
///
/// TCG EK Credential Profile for TPM Family 2.0, section 3.2.9.
public struct TPMIdentity: Hashable, Sendable {
    /// `id:` and the vendor's number in eight hexadecimal digits, as written.
    public let manufacturer: String
    /// The vendor's model name.
    public let model: String
    /// The vendor's firmware version.
    public let version: String

    /// The vendor's number, or `nil` if it is malformed.
    public var vendorID: UInt32? {
        guard manufacturer.utf8.count == 11, manufacturer.hasPrefix("id:") else { return nil }
        let digits = manufacturer.dropFirst(3)
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        return UInt32(digits, radix: 16)
    }

    /// The vendor's name, if the number is registered.
    public var vendorName: String? { vendorID.flatMap { Self.vendors[$0] } }

    /// Reads the three attributes from the alternative name of a certificate, or returns `nil` when one is missing.
    public init?(_ certificate: AttestationCertificate) {
        for name in certificate.alternativeNames.directory {
            guard let manufacturer = name[.tpmManufacturer], let model = name[.tpmModel],
                let version = name[.tpmVersion]
            else { continue }
            self.manufacturer = manufacturer
            self.model = model
            self.version = version
            return
        }
        return nil
    }

    /// TCG TPM Vendor ID Registry: four characters of ASCII, read as a number.
    ///
    /// The last entry belongs to FIDO, for conformance tests.
    static let vendors: [UInt32: String] = [
        0x414d_4400: "AMD", 0x414e_5400: "Ant Group", 0x4154_4d4c: "Atmel", 0x4252_434d: "Broadcom",
        0x4353_434f: "Cisco", 0x464c_5953: "Flyslice Technologies", 0x524f_4343: "Fuzhou Rockchip",
        0x474f_4f47: "Google", 0x4850_4900: "HPI", 0x4850_4500: "HPE", 0x4849_5349: "Huawei",
        0x4942_4d00: "IBM", 0x4946_5800: "Infineon", 0x494e_5443: "Intel", 0x4c45_4e00: "Lenovo",
        0x4d53_4654: "Microsoft", 0x4e53_4d20: "National Semiconductor", 0x4e54_4300: "Nuvoton",
        0x4e54_5a00: "Nationz", 0x4e56_4441: "Nvidia", 0x5143_4f4d: "Qualcomm", 0x534d_534e: "Samsung",
        0x534e_5300: "Sinosun", 0x5345_4345: "SecEdge", 0x534d_5343: "SMSC", 0x5354_4d20: "STMicroelectronics",
        0x5458_4e00: "Texas Instruments", 0x5745_4300: "Winbond", 0x5345_414c: "Wisekey",
        0xffff_f1d0: "FIDO conformance tools",
    ]
}
