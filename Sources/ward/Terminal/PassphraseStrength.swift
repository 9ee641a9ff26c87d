import CZxcvbn
import Foundation

/// How long guessing takes, as zxcvbn sees it: words, names, dates, keyboards and repeats are found.
struct PassphraseStrength {
    /// The estimate in bits.
    let bits: Double

    init(_ text: String) {
        // What is longer is cut: the estimate takes time in proportion to the square of the length.
        bits = unsafe ZxcvbnMatch(String(text.prefix(128)), nil, nil)
    }

    /// Whether a person should think again.
    ///
    /// With the Secret Key a stolen file cannot be guessed at all; what is left is
    /// somebody who has the whole machine.
    var isWeak: Bool { bits < 40 }

    func line(_ paint: Paint) -> String {
        let filled = min(10, max(1, Int(bits / 8)))
        let bar = String(repeating: "▰", count: filled) + String(repeating: "▱", count: 10 - filled)
        let words = "about \(Int(bits)) bits"
        if bits < 40 { return paint.red(bar) + " weak, \(words)" }
        if bits < 60 { return paint.yellow(bar) + " fair, \(words)" }
        return paint.green(bar) + " strong, \(words)"
    }
}
