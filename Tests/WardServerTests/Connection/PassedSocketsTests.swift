import Foundation
import Testing
import WardActivation

@Suite struct `Sockets that systemd passes` {
    @Test(arguments: [[:], ["LISTEN_PID": "1", "LISTEN_FDS": "1"], ["LISTEN_PID": "x", "LISTEN_FDS": "1"]])
    func `are not taken if they are another process's`(_ environment: [String: String]) throws {
        #expect(try PassedSockets(environment: environment) == nil)
    }

    @Test(arguments: ["0", "17", "-1", "x", "", "2147483647", "2147483648", nil])
    func `are refused if their number cannot be`(_ count: String?) {
        var environment = ["LISTEN_PID": "\(getpid())"]
        environment["LISTEN_FDS"] = count
        let error = #expect(throws: PassedSockets.Refusal.self) { try PassedSockets(environment: environment) }
        #expect(error?.reason == "the number of sockets is 0 or too high")
    }
}
