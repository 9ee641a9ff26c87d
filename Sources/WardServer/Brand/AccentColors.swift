/// The colours that the pages derive from the service's accent colour, in the light and in the dark scheme.
struct AccentColors: Hashable, Sendable {
    /// The tokens of one scheme in `ward.css`.
    private struct Scheme: Hashable {
        let accent: PageColor
        let strong: PageColor
        let onAccent: PageColor
        let wash: PageColor

        var tokens: String {
            "--accent: \(accent.text); --accent-strong: \(strong.text); --on-accent: \(onAccent.text); --wash: \(wash.text);"
        }

        /// The lowest contrast of a text in these colours: on the grounds of the scheme, and on a button.
        func contrast(on grounds: [PageColor]) -> Double {
            let texts = [accent, strong].flatMap { text in (grounds + [wash]).map { text.contrast(with: $0) } }
            return min(texts.min() ?? 1, onAccent.contrast(with: accent), onAccent.contrast(with: strong))
        }
    }

    private let light: Scheme
    private let dark: Scheme

    /// WCAG 2.2, success criterion 1.4.3.
    private static let least = 4.5
    /// `--paper` and `--surface` of `ward.css`.
    private static let lightGrounds = ["#f4f6f3", "#ffffff"].compactMap(PageColor.init)
    private static let darkGrounds = ["#0e1412", "#161e1b"].compactMap(PageColor.init)

    /// Derives the colours and checks that text in them can be read.
    ///
    /// The light scheme has the colour as it is, and the dark scheme a lighter one.
    ///
    /// - Throws: ``ServerConfigurationError`` unless the text is `#rrggbb` and dark enough.
    init(_ text: String) throws(ServerConfigurationError) {
        guard let accent = PageColor(text) else {
            throw ServerConfigurationError("an accent color must be six hexadecimal digits after #, such as #17614a")
        }
        light = Scheme(
            accent: accent,
            strong: accent.mixed(with: .black, share: 0.25),
            onAccent: .white,
            wash: accent.mixed(with: .white, share: 0.92)
        )
        let contrast = light.contrast(on: Self.lightGrounds)
        guard contrast >= Self.least else {
            let shown = (contrast * 10).rounded(.down) / 10
            throw ServerConfigurationError(
                "the accent color \(accent.text) has a contrast of \(shown):1 with the light pages, and text needs 4.5:1: choose a "
                    + "darker color"
            )
        }
        dark = Self.dark(accent)
        guard dark.contrast(on: Self.darkGrounds) >= Self.least else {
            throw ServerConfigurationError(
                "the accent color \(accent.text) cannot be read on the dark pages: choose another color"
            )
        }
    }

    /// The first mixture with white that can be read well on dark grounds.
    private static func dark(_ accent: PageColor) -> Scheme {
        var found = PageColor.white
        for step in 0...20 {
            found = accent.mixed(with: .white, share: Double(step) / 20)
            if darkGrounds.allSatisfy({ found.contrast(with: $0) >= 7 }) { break }
        }
        let ground = darkGrounds.last ?? .black
        return Scheme(
            accent: found,
            strong: found.mixed(with: .white, share: 0.25),
            onAccent: found.mixed(with: .black, share: 0.85),
            wash: ground.mixed(with: found, share: 0.1)
        )
    }

    /// The style sheet that sets the colours.
    var styleSheet: String {
        """
        :root { \(light.tokens) }
        @media (prefers-color-scheme: dark) { :root { \(dark.tokens) } }

        """
    }
}
