/**
 * Stands before `navigator.credentials` in the page's own world.
 *
 * The page can do to this script whatever it likes, so nothing here protects anything: the worker and the agent believe
 * only what the browser tells them. Calls that have nothing to do with passkeys, and all calls while the extension is off,
 * go to the browser's own functions. Nothing is left in the page's global scope.
 */
(() => {
  'use strict';
  const Container = globalThis.CredentialsContainer;
  const Credential = globalThis.PublicKeyCredential;
  if (!globalThis.isSecureContext || !Container || !Credential) {
    return;
  }

  const { AbortSignal: Signal } = globalThis;
  const { apply, ownKeys } = Reflect;
  const { create: makeObject, defineProperty, getOwnPropertyDescriptor } = Object;
  const { parse, stringify } = JSON;
  const startTimer = setTimeout;
  const stopTimer = clearTimeout;
  /** What browsers allow pages to ask for, and what they take if a page asks for nothing. */
  const TIMEOUT = { least: 10_000, most: 600_000, usual: 300_000 };

  // The way to the extension's script beside the page.

  /** @type {MessagePort | null} */
  let link = null;
  let lastCall = 0;
  /** @type {Map<number, (message: any) => void>} */
  const listeners = new Map();

  function send(message) {
    link?.postMessage(message);
  }

  /** Sends a question that has one answer. */
  function ask(message) {
    const call = ++lastCall;
    return new Promise((resolve) => {
      if (!link) {
        resolve(null);
        return;
      }
      listeners.set(call, (answer) => {
        listeners.delete(call);
        resolve(answer);
      });
      send({ ...message, call });
    });
  }

  const isOn = async () => (await ask({ type: 'state' }))?.isOn === true;

  function accept(event) {
    const [port] = event.ports ?? [];
    if (!port || link) {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    globalThis.removeEventListener('ward-link', accept, true);
    link = port;
    port.onmessage = ({ data }) => listeners.get(data?.call)?.(data);
  }
  globalThis.addEventListener('ward-link', accept, true);
  globalThis.dispatchEvent(new Event('ward-hello'));

  // Options of a call as JSON.

  const BYTES = (value) => {
    const bytes = ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : new Uint8Array(value);
    let text = '';
    for (let index = 0; index < bytes.length; index += 1) {
      text += String.fromCharCode(bytes[index]);
    }
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  };
  const TEXT = (value) => `${value}`;
  const NUMBER = (value) => Math.max(0, Math.min(Number(value) || 0, 2 ** 32 - 1));
  const ALGORITHM = (value) => Number(value) | 0;
  const FLAG = (value) => Boolean(value);
  const LIST = (each) => (value) => [...value].map(each);
  const OBJECT = (members) => (value) => {
    const result = {};
    for (const name of ownKeys(members)) {
      const member = value[name];
      if (member !== undefined && !(member === null && members[name] !== TEXT)) {
        result[name] = members[name](member);
      }
    }
    return result;
  };
  const EXTENSIONS = (value, depth = 0) => {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      return BYTES(value);
    }
    if (typeof value !== 'object' || value === null || depth > 6) {
      return value;
    }
    return Array.isArray(value)
      ? value.map((item) => EXTENSIONS(item, depth + 1))
      : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, EXTENSIONS(item, depth + 1)]));
  };
  const DESCRIPTORS = LIST(OBJECT({ type: TEXT, id: BYTES, transports: LIST(TEXT) }));
  const COMMON = {
    challenge: BYTES, timeout: NUMBER, hints: LIST(TEXT), attestation: TEXT, attestationFormats: LIST(TEXT), extensions: EXTENSIONS,
  };
  const SHAPES = {
    create: OBJECT({
      ...COMMON,
      rp: OBJECT({ id: TEXT, name: TEXT }),
      user: OBJECT({ id: BYTES, name: TEXT, displayName: TEXT }),
      pubKeyCredParams: LIST(OBJECT({ type: TEXT, alg: ALGORITHM })),
      excludeCredentials: DESCRIPTORS,
      authenticatorSelection: OBJECT({
        authenticatorAttachment: TEXT, residentKey: TEXT, requireResidentKey: FLAG, userVerification: TEXT,
      }),
    }),
    get: OBJECT({ ...COMMON, rpId: TEXT, allowCredentials: DESCRIPTORS, userVerification: TEXT }),
  };

  // Answers as objects of the platform's classes. Their data is kept here, and the classes' own getters read it.

  /** @type {WeakMap<object, Record<string, any>>} */
  const facts = new WeakMap();
  let areGettersReady = false;

  function bytes(text) {
    const raw = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(raw, (character) => character.charCodeAt(0)).buffer;
  }

  function make(constructor, members) {
    const object = makeObject(constructor.prototype);
    facts.set(object, members);
    return object;
  }

  /** Has a getter or method of a class read `facts` for objects made here. */
  function teach(constructor, name) {
    const descriptor = constructor && getOwnPropertyDescriptor(constructor.prototype, name);
    const slot = descriptor?.get ? 'get' : 'value';
    if (!descriptor || typeof descriptor[slot] !== 'function') {
      return;
    }
    descriptor[slot] = new Proxy(descriptor[slot], {
      apply(target, self, values) {
        const known = facts.get(self);
        return known && name in known ? (slot === 'get' ? known[name] : known[name]()) : apply(target, self, values);
      },
    });
    defineProperty(constructor.prototype, name, descriptor);
  }

  function teachAll() {
    if (areGettersReady) {
      return;
    }
    areGettersReady = true;
    ['id', 'type'].forEach((name) => teach(globalThis.Credential, name));
    ['rawId', 'response', 'authenticatorAttachment', 'getClientExtensionResults', 'toJSON'].forEach((name) => teach(Credential, name));
    teach(globalThis.AuthenticatorResponse, 'clientDataJSON');
    ['attestationObject', 'getTransports', 'getAuthenticatorData', 'getPublicKey', 'getPublicKeyAlgorithm']
      .forEach((name) => teach(globalThis.AuthenticatorAttestationResponse, name));
    ['authenticatorData', 'signature', 'userHandle'].forEach((name) => teach(globalThis.AuthenticatorAssertionResponse, name));
  }

  function results(json) {
    const outputs = structuredClone(json ?? {});
    for (const [holder, name] of [
      [outputs.prf?.results, 'first'], [outputs.prf?.results, 'second'], [outputs.largeBlob, 'blob'],
    ]) {
      if (typeof holder?.[name] === 'string') {
        holder[name] = bytes(holder[name]);
      }
    }
    return outputs;
  }

  function credential(text) {
    teachAll();
    const json = parse(text);
    const given = json.response;
    const response = given.attestationObject === undefined
      ? make(globalThis.AuthenticatorAssertionResponse, {
        clientDataJSON: bytes(given.clientDataJSON),
        authenticatorData: bytes(given.authenticatorData),
        signature: bytes(given.signature),
        userHandle: given.userHandle == null ? null : bytes(given.userHandle),
      })
      : make(globalThis.AuthenticatorAttestationResponse, {
        clientDataJSON: bytes(given.clientDataJSON),
        attestationObject: bytes(given.attestationObject),
        getTransports: () => [...given.transports ?? []],
        getAuthenticatorData: () => bytes(given.authenticatorData),
        getPublicKey: () => given.publicKey == null ? null : bytes(given.publicKey),
        getPublicKeyAlgorithm: () => given.publicKeyAlgorithm,
      });
    return make(Credential, {
      id: json.id,
      type: 'public-key',
      rawId: bytes(json.rawId),
      response,
      authenticatorAttachment: json.authenticatorAttachment ?? null,
      getClientExtensionResults: () => results(json.clientExtensionResults),
      toJSON: () => structuredClone(json),
    });
  }

  // The two calls.

  /** The page's options with other members; the rest is read from the page's object, as the browser does. */
  function derived(options, members) {
    return makeObject(options, Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, { value, enumerable: true }]),
    ));
  }

  /** The browser's own refusal of arguments, without any dialog: an ended signal stops everything that comes after. */
  async function check(native, self, options) {
    const mark = new Error('checked');
    const ended = new AbortController();
    ended.abort(mark);
    try {
      await apply(native, self, [derived(options, { signal: ended.signal })]);
    } catch (error) {
      if (error !== mark && error?.name !== 'AbortError') {
        throw error;
      }
    }
  }

  async function perform(kind, native, self, options) {
    const isImmediate = kind === 'get' && options.uiMode === 'immediate';
    const mediation = isImmediate ? 'immediate' : options.mediation === undefined ? 'optional' : `${options.mediation}`;
    const signal = options.signal ?? null;
    const isNoSignal = signal !== null && !(signal instanceof Signal);
    if (!link || isNoSignal || signal?.aborted) {
      return apply(native, self, [options]);
    }
    await check(native, self, options);
    let json;
    try {
      json = SHAPES[kind](options.publicKey);
    } catch {
      return apply(native, self, [options]);
    }
    return new Promise((resolve, reject) => {
      const call = ++lastCall;
      let controller = new AbortController();
      let timer;
      /** @type {any} */
      let failure;
      let isOver = false;
      const end = (settle, value) => {
        if (isOver) {
          return;
        }
        isOver = true;
        listeners.delete(call);
        signal?.removeEventListener('abort', abort);
        stopTimer(timer);
        controller.abort();
        settle(value);
      };
      const abort = () => {
        send({ type: 'abort', call });
        controller.abort(signal.reason);
        end(reject, signal.reason);
      };
      const callNative = (members, finish) => {
        controller = new AbortController();
        apply(native, self, [derived(options, { ...members, signal: controller.signal })]).then((value) => {
          send({ type: 'settled', call });
          end(resolve, value);
        }, finish);
      };
      signal?.addEventListener('abort', abort, { once: true });
      listeners.set(call, (message) => {
        switch (message.command) {
          case 'native':
            callNative({}, (error) => end(reject, error));
            break;
          case 'modal':
            callNative({ mediation: 'optional' }, (error) => end(reject, error));
            break;
          case 'call':
            callNative(kind === 'get' ? { mediation: 'optional', uiMode: undefined } : {}, (error) => {
              failure = error;
              send({ type: 'failed', call });
            });
            break;
          case 'wait':
            failure = new DOMException(message.message, 'NotAllowedError');
            timer = startTimer(() => {
              send({ type: 'abort', call });
              end(reject, failure);
            }, Math.max(TIMEOUT.least, Math.min(json.timeout ?? TIMEOUT.usual, TIMEOUT.most)));
            break;
          case 'nothing':
            end(resolve, null);
            break;
          case 'result':
            end(resolve, credential(message.response));
            break;
          case 'reject':
            end(reject, message.name === 'TypeError'
              ? new TypeError(message.message)
              : new DOMException(message.message, message.name));
            break;
          default:
            end(reject, failure);
        }
      });
      send({ type: 'begin', call, kind, mediation, options: stringify(json) });
    });
  }

  function stand(object, name, handler) {
    const descriptor = object && getOwnPropertyDescriptor(object, name);
    if (typeof descriptor?.value !== 'function') {
      return;
    }
    const native = descriptor.value;
    descriptor.value = new Proxy(native, { apply: (_, self, values) => handler(native, self, values) });
    defineProperty(object, name, descriptor);
  }

  for (const kind of ['create', 'get']) {
    stand(Container.prototype, kind, (native, self, values) => {
      const [options] = values;
      const isForPasskeys = typeof options === 'object' && options !== null && options.publicKey != null;
      return isForPasskeys && self instanceof Container
        ? perform(kind, native, self, options)
        : apply(native, self, values);
    });
  }

  for (const name of ['isConditionalMediationAvailable', 'isUserVerifyingPlatformAuthenticatorAvailable']) {
    stand(Credential, name, async (native, self, values) => await isOn() || apply(native, self, values));
  }

  stand(Credential, 'getClientCapabilities', async (native, self, values) => {
    const capabilities = await apply(native, self, values);
    return await isOn() ? {
      ...capabilities,
      conditionalCreate: true,
      conditionalGet: true,
      passkeyPlatformAuthenticator: true,
      signalAllAcceptedCredentials: true,
      signalCurrentUserDetails: true,
      signalUnknownCredential: true,
      userVerifyingPlatformAuthenticator: true,
    } : capabilities;
  });

  // Signals of the service.

  const SIGNALS = {
    signalAllAcceptedCredentials: { allAcceptedCredentialIds: LIST(TEXT), rpId: TEXT, userId: TEXT },
    signalCurrentUserDetails: { displayName: TEXT, name: TEXT, rpId: TEXT, userId: TEXT },
    signalUnknownCredential: { credentialId: TEXT, rpId: TEXT },
  };

  /** The options as the browser would read them: every member is required, and IDs are base64url without padding. */
  function signalled(name, values) {
    if (values.length === 0) {
      throw new TypeError(`PublicKeyCredential.${name}: At least 1 argument required, but only 0 passed`);
    }
    const options = values[0] ?? {};
    if (typeof options !== 'object' && typeof options !== 'function') {
      throw new TypeError(`PublicKeyCredential.${name}: Argument 1 can't be converted to a dictionary.`);
    }
    const members = SIGNALS[name];
    const result = {};
    for (const member of ownKeys(members)) {
      const value = options[member];
      if (value === undefined || (members[member] !== TEXT && Object(value) !== value)) {
        throw new TypeError(`PublicKeyCredential.${name}: Missing or invalid member '${String(member)}'.`);
      }
      result[member] = members[member](value);
    }
    for (const id of [result.credentialId ?? [], result.userId ?? [], result.allAcceptedCredentialIds ?? []].flat()) {
      if (!/^[\w-]*$/.test(id) || id.length % 4 === 1) {
        throw new TypeError(`PublicKeyCredential.${name}: An ID is not base64url.`);
      }
    }
    return result;
  }

  for (const name of ownKeys(SIGNALS)) {
    const kind = String(name);
    if (name in Credential) {
      stand(Credential, name, async (native, self, values) => {
        // The browser checks the options and the RP ID; its own authenticators hear of it too.
        await apply(native, self, values);
        await ask({ type: 'signal', kind, options: stringify(values[0]) });
      });
      continue;
    }
    const { [kind]: signal } = {
      async [kind](options) {
        const answer = await ask({ type: 'signal', kind, options: stringify(signalled(kind, arguments)) });
        if (answer?.refusal) {
          throw new DOMException(answer.refusal, 'SecurityError');
        }
      },
    };
    defineProperty(Credential, name, { value: new Proxy(signal, {}), writable: true, enumerable: true, configurable: true });
  }
})();
