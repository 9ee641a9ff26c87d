/** The service's JSON API. */

const base = '/api/v1';

/** An answer of the service that is not what was asked for. */
export class ServiceError extends Error {
  /** @param {string} code The stable code of a problem document (RFC 9457), or the status when there is none. */
  constructor(code, status) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

/** Whether an error means that the person must sign in again. */
export function isSignedOut(error) {
  return error.code === 'not_signed_in' || error.code === 'device_proof_required';
}

/** The service did not answer at all. */
export class NetworkError extends Error {
  code = 'network';
}

/** Asks the service; the parsed answer, or `null` when it has no body. */
export async function call(method, path, body) {
  let response;
  let answer = null;
  try {
    response = await fetch(base + path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: 'no-store',
    });
    const text = await response.text();
    answer = text === '' ? null : parse(text);
  } catch {
    throw new NetworkError();
  }
  if (!response.ok || answer === undefined) {
    throw new ServiceError(answer?.code ?? `status_${response.status}`, response.status);
  }
  return answer;
}

/** JSON, or `undefined` for what a proxy in between may have answered. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
