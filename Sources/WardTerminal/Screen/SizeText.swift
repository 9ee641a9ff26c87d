/// A number of bytes as text, such as 1.5 MiB.
package enum SizeText {
    package static func of(_ bytes: Int) -> String {
        switch bytes {
        case 1: "1 byte"
        case ..<1024: "\(bytes) bytes"
        case ..<(1 << 20): "\((bytes + 512) / 1024) KiB"
        default: "\(bytes >> 20).\((bytes & (1 << 20 - 1)) * 10 >> 20) MiB"
        }
    }
}
