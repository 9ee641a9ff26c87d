/// Programs that run what they are told: who registers one registers every program that it will ever run.
enum Interpreters {
    private static let names: Set<String> = [
        // Shells and what starts other programs
        "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "tcsh", "csh", "busybox", "toybox", "env", "xargs", "nohup",
        "sudo",
        "flatpak", "bwrap", "snap", "gdb", "lldb", "strace", "perf", "wine", "wine64", "appimagelauncher",
        // Languages
        "python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "luajit", "java", "mono",
        "dotnet",
        "guile", "gjs", "tclsh", "wish", "expect", "R", "Rscript", "julia", "erl", "beam.smp", "elixir", "racket",
        "sbcl",
        "ghci", "runghc", "swift", "swift-frontend", "electron", "pwsh", "awk", "gawk", "mawk", "sed", "vim", "nvim",
        "emacs",
    ]

    /// Whether a program is one, by its file's name without a version: `python3.11` is `python`.
    static func include(_ path: String) -> Bool {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        // The loader runs any program that it is given.
        if file.hasPrefix("ld-linux") || file.hasPrefix("ld-musl") || file.hasPrefix("ld.so") { return true }
        if file.hasPrefix("qemu-") { return true }
        if names.contains(file) { return true }
        let base = file.prefix { !$0.isNumber && $0 != "-" }
        let rest = file.dropFirst(base.count)
        return names.contains(String(base)) && rest.allSatisfy { $0.isNumber || $0 == "." || $0 == "-" }
    }
}
