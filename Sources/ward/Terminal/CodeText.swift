import Foundation
import WardAgentClient

/// A verification code as text.
enum CodeText {
    static func line(_ code: ShowCode.Result, _ paint: Paint) -> String {
        let middle = code.code.count / 2
        let spaced =
            code.code.count >= 6
            ? code.code.prefix(middle) + " " + code.code.suffix(code.code.count - middle) : code.code[...]
        let text = paint.isOn ? paint.bold(String(spaced)) : code.code
        guard let left = code.secondsLeft, let period = code.period, paint.isOn else { return text }
        let filled = max(1, left * 10 / max(1, period))
        let bar = String(repeating: "▰", count: filled) + String(repeating: "▱", count: 10 - filled)
        let rest = left <= 5 ? paint.red("\(bar) \(left) s") : paint.green(bar) + " \(left) s"
        return "\(text)  \(rest)  "
            + paint.dim(Table.clean([code.title, code.account].filter { !$0.isEmpty }.joined(separator: ", ")))
    }
}
