import Foundation

/// A colour of sRGB.
struct PageColor: Hashable, Sendable {
    private let red: Double
    private let green: Double
    private let blue: Double

    private init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `#rrggbb`, or returns `nil`.
    init?(_ text: String) {
        let digits = text.dropFirst()
        guard text.first == "#", digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: 16)
        else { return nil }
        func part(_ shift: UInt32) -> Double { Double((number >> shift) & 0xff) / 255 }
        self.init(part(16), part(8), part(0))
    }

    /// The colour as style sheets write it: `#rrggbb`.
    var text: String {
        let parts = [red, green, blue].map { String(Int(($0 * 255).rounded()), radix: 16) }
        return "#" + parts.map { $0.utf8.count == 1 ? "0" + $0 : $0 }.joined()
    }

    /// A mixture with another colour, which has this share, 0 to 1.
    func mixed(with other: Self, share: Double) -> Self {
        func part(_ part: KeyPath<Self, Double>) -> Double {
            self[keyPath: part] * (1 - share) + other[keyPath: part] * share
        }
        return Self(part(\.red), part(\.green), part(\.blue))
    }

    /// The [contrast ratio](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio) of two colours, 1 to 21.
    func contrast(with other: Self) -> Double {
        (max(luminance, other.luminance) + 0.05) / (min(luminance, other.luminance) + 0.05)
    }

    /// The [relative luminance](https://www.w3.org/TR/WCAG22/#dfn-relative-luminance).
    private var luminance: Double {
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    static let white = Self(1, 1, 1)
    static let black = Self(0, 0, 0)
}
