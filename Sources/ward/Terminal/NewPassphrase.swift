import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Asks for a new passphrase.
enum NewPassphrase {
    static func ask(for vault: String) throws -> String {
        Terminal.note("Your vault will be \(Paths.short(vault)).\n")
        Terminal.note("Choose a passphrase: five random words are good. Nobody can reset it.")
        let paint = Paint(isOn: Paint.isWantedOnError)
        while true {
            guard let typed = String(validating: try Question.secret("Passphrase: "), as: UTF8.self), !typed.isEmpty
            else {
                Terminal.note("  Type at least one character.")
                continue
            }
            let strength = PassphraseStrength(typed)
            Terminal.note("  " + strength.line(paint))
            if strength.isWeak, try !Question.confirm("  Take it all the same?") { continue }
            guard String(decoding: try Question.secret("Again:      "), as: UTF8.self) == typed else {
                Terminal.note("  The two are not the same. Once more:")
                continue
            }
            return typed
        }
    }
}
