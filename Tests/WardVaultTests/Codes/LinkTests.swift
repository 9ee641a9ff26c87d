import Testing
import WardVault

/// A link as some site or manager writes it, and what it means.
private struct LinkCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var kind = OneTimePassword.Kind.totp(period: 30)
    var algorithm = OneTimePassword.Algorithm.sha1
    var digits = 6
    var issuer = ""
    var account = ""

    static let all = [
        Self(testDescription: "a bare secret", text: "JBSWY3DPEHPK3PXP"),
        Self(testDescription: "a bare secret in groups, lower case", text: " jbsw y3dp ehpk 3pxp\n"),
        Self(testDescription: "a bare secret with hyphens and padding", text: "JBSW-Y3DP-EHPK-3PXP===="),
        Self(testDescription: "nothing but the secret", text: "otpauth://totp/?secret=JBSWY3DPEHPK3PXP"),
        Self(testDescription: "no slash before the query", text: "otpauth://totp?secret=JBSWY3DPEHPK3PXP"),
        Self(
            testDescription: "upper case scheme, type and names",
            text: "OTPAUTH://TOTP/a?SECRET=JBSWY3DPEHPK3PXP&Digits=8",
            digits: 8,
            account: "a"
        ),
        Self(
            testDescription: "label percent-encoded, colon too",
            text: "otpauth://totp/ACME%20Co%3A%20john%40example.com?secret=JBSWY3DPEHPK3PXP",
            issuer: "ACME Co",
            account: "john@example.com"
        ),
        Self(
            testDescription: "label not encoded, account with a colon",
            text: "otpauth://totp/ACME Co:john:doe?secret=JBSWY3DPEHPK3PXP",
            issuer: "ACME Co",
            account: "john:doe"
        ),
        Self(
            testDescription: "the issuer parameter wins over the label",
            text: "otpauth://totp/Old:me?issuer=New&secret=JBSWY3DPEHPK3PXP",
            issuer: "New",
            account: "me"
        ),
        Self(
            testDescription: "an empty issuer leaves the label's",
            text: "otpauth://totp/Old:me?issuer=&secret=JBSWY3DPEHPK3PXP",
            issuer: "Old",
            account: "me"
        ),
        Self(
            testDescription: "every parameter",
            text: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=SHA512&digits=7&period=90&image=https%3A%2F%2Fx",
            kind: .totp(period: 90),
            algorithm: .sha512,
            digits: 7,
            account: "a"
        ),
        Self(
            testDescription: "hash names as Java writes them",
            text: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=HmacSHA256",
            algorithm: .sha256,
            account: "a"
        ),
        Self(
            testDescription: "hash names with a hyphen, lower case",
            text: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=sha-256",
            algorithm: .sha256,
            account: "a"
        ),
        Self(
            testDescription: "empty parameters are defaults",
            text: "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=&digits=&period=",
            account: "a"
        ),
        Self(
            testDescription: "counting",
            text: "otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=18446744073709551615",
            kind: .hotp(counter: .max),
            account: "a"
        ),
        Self(
            testDescription: "counting from nowhere",
            text: "otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP",
            kind: .hotp(counter: 0),
            account: "a"
        ),
        Self(testDescription: "steam://", text: "steam://JBSWY3DPEHPK3PXP", kind: .steam, digits: 5, issuer: "Steam"),
        Self(
            testDescription: "Steam as KeePassXC writes it",
            text: "otpauth://totp/Steam:me?secret=JBSWY3DPEHPK3PXP&period=30&digits=5&issuer=Steam&encoder=steam",
            kind: .steam,
            digits: 5,
            issuer: "Steam",
            account: "me"
        ),
        Self(
            testDescription: "Steam as a type",
            text: "otpauth://steam/Steam:me?secret=JBSWY3DPEHPK3PXP&issuer=Steam",
            kind: .steam,
            digits: 5,
            issuer: "Steam",
            account: "me"
        ),
        Self(
            testDescription: "KeeOTP",
            text: "key=JBSWY3DPEHPK3PXP&step=60&size=8",
            kind: .totp(period: 60),
            digits: 8
        ),
        Self(
            testDescription: "KeeOTP counting",
            text: "key=JBSWY3DPEHPK3PXP&type=Hotp&counter=7",
            kind: .hotp(counter: 7)
        ),
    ]
}

@Suite struct `otpauth links` {
    @Test(arguments: LinkCase.all)
    fileprivate func `links as they are found in the world are read`(link: LinkCase) throws {
        let code = try OneTimePassword(link.text)
        #expect(code.secret.revealed == [0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x21, 0xde, 0xad, 0xbe, 0xef])
        #expect(code.kind == link.kind)
        #expect(code.algorithm == link.algorithm)
        #expect(code.digits == link.digits)
        #expect(code.issuer == link.issuer)
        #expect(code.account == link.account)
    }

    @Test(arguments: LinkCase.all)
    fileprivate func `a written link reads as the same code`(link: LinkCase) throws {
        let code = try OneTimePassword(link.text)
        #expect(try OneTimePassword(code.link) == code)
    }

    @Test func `a written link has every parameter and every sign encoded`() throws {
        let code = try OneTimePassword(
            .totp(period: 30),
            secret: [0x48, 0x65],
            issuer: "A&B: Co",
            account: "jö rg@example.com"
        )
        #expect(
            code.link == "otpauth://totp/A%26B%3A%20Co:j%C3%B6%20rg%40example.com"
                + "?secret=JBSQ&issuer=A%26B%3A%20Co&algorithm=SHA1&digits=6&period=30"
        )
    }

    @Test(arguments: [
        ("", OneTimePasswordError.Code.secret), ("https://example.com", .link), ("otpauth://", .secret),
        ("otpauth://totp/a", .secret), ("otpauth://totp/a?secret=", .secret), ("otpauth://totp/a?secret=%", .secret),
        ("otpauth://totp/a?secret=JB!Y", .secret), ("otpauth://motp/a?secret=JBSWY3DP", .kind),
        ("otpauth://totp/a?secret=JBSWY3DP&algorithm=MD5", .algorithm),
        ("otpauth://totp/a?secret=JBSWY3DP&digits=12", .digits),
        ("otpauth://totp/a?secret=JBSWY3DP&digits=x", .digits),
        ("otpauth://totp/a?secret=JBSWY3DP&period=0", .period),
        ("otpauth://totp/a?secret=JBSWY3DP&period=1.5", .period),
        ("otpauth://hotp/a?secret=JBSWY3DP&counter=-1", .counter), ("JB=SW", .secret), ("JBSWé", .secret),
        (String(repeating: "A", count: 10_000), .link), ("otpauth-migration://offline?data=AA", .link),
    ])
    func `what is not a link or secret says which part is wrong`(text: String, code: OneTimePasswordError.Code) {
        #expect(throws: OneTimePasswordError(code, "")) { try OneTimePassword(text) }
    }

    @Test func `a link cut anywhere or with any byte changed never traps`() {
        let link =
            "otpauth://totp/ACME%20Co:john@example.com?secret=JBSWY3DPEHPK3PXP&issuer=ACME%20Co&algorithm=SHA1&digits=6"
        let bytes = Array(link.utf8)
        for index in bytes.indices {
            _ = try? OneTimePassword(String(decoding: bytes.prefix(index), as: UTF8.self))
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                _ = try? OneTimePassword(String(decoding: changed, as: UTF8.self))
            }
        }
    }
}
