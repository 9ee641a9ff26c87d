/// User names that say nothing about a person: `copperfalcon42`.
///
/// They have only small letters and two digits, which every site takes.
package enum RandomUserName {
    private static let words = WordList.words.filter { $0.utf8.allSatisfy { (0x61...0x7a).contains($0) } }
    private static let numbers = 10...99

    /// The number of different user names, as a power of two.
    package static var bits: Double { 2 * .log2(of: words.count) + .log2(of: numbers.count) }

    /// Draws a user name.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let drawn = (0..<2).compactMap { _ in words.randomElement(using: &generator) }
        return drawn.joined() + String(Int.random(in: numbers, using: &generator))
    }
}
