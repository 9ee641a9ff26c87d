import Foundation
import WardPasswords

/// The strength of a passphrase, estimated by zxcvbn.
///
/// It finds words, names, dates, keyboard patterns and repeats.
struct PassphraseStrength {
    /// The estimate in bits.
    let bits: Double

    init(_ text: String) {
        bits = PasswordStrength(text).bits
    }

    /// Whether the passphrase is too weak.
    ///
    /// The Secret Key protects a stolen vault file. The passphrase protects against a thief with the whole machine.
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
