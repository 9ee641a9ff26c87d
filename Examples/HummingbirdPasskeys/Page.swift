import Hummingbird

/// The one page.
///
/// Its script makes the two calls of WebAuthn and nothing else.
enum Page {
    static var html: Response {
        var response = text(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Passkeys with Hummingbird</title>
            <main>
              <h1>Passkeys with Hummingbird</h1>
              <form id="signed-out" hidden>
                <p><button type="button" id="sign-in">Sign in with a passkey</button></p>
                <p><label>New here? Your name: <input id="name" autocomplete="username" required maxlength="64"></label>
                  <button>Create an account with a passkey</button></p>
              </form>
              <section id="signed-in" hidden>
                <p>You are signed in as <b id="who"></b>.</p>
                <p><button id="add">Add another passkey</button> <button id="sign-out">Sign out</button></p>
              </section>
              <p role="status" id="status"></p>
            </main>
            <script type="module" src="/page.js"></script>
            </html>
            """,
            "text/html; charset=utf-8"
        )
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'"
        return response
    }

    static var script: Response {
        text(
            """
            const part = (id) => document.getElementById(id);

            async function post(path, body = {}) {
              const answer = await fetch(path, {
                method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
              });
              const text = await answer.text();
              if (!answer.ok) throw new Error(JSON.parse(text || '{}').error?.message ?? answer.statusText);
              return text ? JSON.parse(text) : {};
            }

            async function register(body) {
              const { ceremony, publicKey } = await post('/register', body);
              const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
              const credential = await navigator.credentials.create({ publicKey: options });
              return post('/register/finish', { ceremony, response: credential.toJSON() });
            }

            async function signIn() {
              const { ceremony, publicKey } = await post('/sign-in');
              const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
              const credential = await navigator.credentials.get({ publicKey: options });
              return post('/sign-in/finish', { ceremony, response: credential.toJSON() });
            }

            function show(name) {
              part('signed-out').hidden = Boolean(name);
              part('signed-in').hidden = !name;
              part('who').textContent = name ?? '';
            }

            async function run(action, done) {
              part('status').textContent = '';
              try {
                show((await action()).name);
                part('status').textContent = done;
              } catch (error) {
                part('status').textContent = error.name === 'NotAllowedError' ? 'Nothing was done.' : error.message;
              }
            }

            part('sign-in').addEventListener('click', () => run(signIn, ''));
            part('signed-out').addEventListener('submit', (event) => {
              event.preventDefault();
              run(() => register({ name: part('name').value }), 'Your account has its first passkey.');
            });
            part('add').addEventListener('click', () => run(() => register({}), 'The passkey was added.'));
            part('sign-out').addEventListener('click', () => run(() => post('/sign-out'), 'You are signed out.'));

            const session = await fetch('/session');
            show(session.ok ? (await session.json()).name : undefined);
            """,
            "text/javascript; charset=utf-8"
        )
    }

    private static func text(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-cache"],
            body: .init(byteBuffer: .init(string: text))
        )
    }
}
