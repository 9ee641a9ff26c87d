import ArgumentParser
import Foundation
import WardInspection
import WardText

/// Runs one inspection, or one for each line, and prints the results.
struct Inspecting {
    let known: KnownOptions?
    let output: OutputOptions

    typealias Look = (Inspector, Material) throws -> Inspection

    func run(_ source: String, _ look: Look) throws {
        do {
            let request = try known?.request() ?? InspectionRequest()
            if known?.lines == true { return try eachLine(request, look) }
            let inspection = try look(Inspector(request), try Material(try bytes(source)))
            if output.json {
                Output.json((output.full ? inspection.fullJSON : inspection.json).text)
            } else {
                Output.lines(lines(inspection))
            }
            if inspection.verdict == .refused { throw ExitCode(1) }
        } catch let error as InspectionError {
            throw Usage(error.description)
        } catch let error as ValidationError {
            throw Usage(error.message)
        }
    }

    /// The contents of a file with this name.
    ///
    /// If there is none, it is the text itself.
    private func bytes(_ source: String) throws -> [UInt8] {
        if source == "-" { return try Files.standardInput() }
        return FileManager.default.fileExists(atPath: source) ? try Files.read(source) : Array(source.utf8)
    }

    private func eachLine(_ defaults: InspectionRequest, _ look: Look) throws {
        while let line = readLine() {
            if line.allSatisfy(\.isWhitespace) { continue }
            do {
                let value: JSONValue
                do { value = try JSONValue(Array(line.utf8)) } catch { throw Usage("The line is not JSON: \(error)") }
                let request = try InspectionRequest(value, defaults: defaults)
                guard let response = value["response"] else { throw Usage("Each line needs the member response") }
                let material = try Material(response.stringValue.map { Array($0.utf8) } ?? response.serialized)
                Output.json(answer(try look(Inspector(request), material).json, to: value).text)
            } catch {
                let refusal: JSONValue = [
                    "verdict": "refused", "code": "invalid_request", "step": nil, "detail": .string("\(error)"),
                    "format": nil, "trust": nil, "credential": nil,
                ]
                Output.json(answer(refusal, to: value(of: line)).text)
            }
        }
    }

    private func value(of line: String) -> JSONValue { (try? JSONValue(Array(line.utf8))) ?? .null }

    /// An answer repeats the `id` of its request, so that answers can be matched to requests.
    private func answer(_ answer: JSONValue, to request: JSONValue) -> JSONValue {
        guard let id = request["id"], case .object(let members) = answer else { return answer }
        return .object([.init("id", id)] + members)
    }

    private func lines(_ inspection: Inspection) -> [String] {
        let paint = Paint(isOn: Paint.isWanted)
        var lines = inspection.decoded.flatMap { $0.lines() }
        if !inspection.steps.isEmpty {
            lines.append("")
            lines += inspection.steps.map { report in
                let mark =
                    switch report.verdict {
                    case .passed: paint.green("✓")
                    case .failed: paint.red("✗")
                    case .notChecked: paint.yellow("?")
                    case .notReached: paint.dim("·")
                    }
                let reason = report.reason.map { "  — \($0)" } ?? ""
                let line = "\(report.step)".padding(toLength: 7, withPad: " ", startingAt: 0) + report.title + reason
                return "\(mark) \(report.verdict == .notReached ? paint.dim(line) : line)"
            }
        }
        switch inspection.verdict {
        case .accepted: lines += ["", paint.green("accepted") + trust(inspection)]
        case .refused:
            let where_ = inspection.step.map { " at step \($0)" } ?? ""
            lines += ["", paint.red("refused") + "\(where_): \(inspection.code ?? "") — \(inspection.detail ?? "")"]
        case nil: break
        }
        return lines
    }

    private func trust(_ inspection: Inspection) -> String {
        guard let format = inspection.format else {
            return inspection.signals.isEmpty ? "" : ", with signals: \(inspection.signals.joined(separator: ", "))"
        }
        return ", attestation \(format), trust \(inspection.trust ?? "none")"
    }
}
