import type { CreatePasskeyBody, PasskeyCreation, PasskeyRequest } from '@offizin/contracts/people/passkeys';
import type { PasskeyAssertion } from '@offizin/contracts/people/passkey-assertion';

/** Passkeys as the browser has them. Loaded only where a person uses one. */

/** No answer: taken back, timed out, or no passkey for this console. */
export class NoPasskeyError extends Error {
  override readonly name = 'NoPasskeyError';
}

/** Browsers have no passkeys for an IP address, nor without TLS. */
export function knowsPasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(window.location.hostname);
  return window.isSecureContext && 'PublicKeyCredential' in window && !isAddress;
}

const KINDS_OF_KEY = [-8, -7, -257];

export async function askPasskey(asked: PasskeyRequest): Promise<PasskeyAssertion> {
  const credential = await orNone(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: bytesOf(asked.challenge),
        rpId: asked.rp_id,
        allowCredentials: described(asked.credential_ids),
        userVerification: 'required',
      },
    }),
  );
  const { response } = credential;
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new NoPasskeyError();
  return {
    credential_id: credential.id,
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  };
}

export async function makePasskey(asked: PasskeyCreation, name: string): Promise<CreatePasskeyBody> {
  const credential = await orNone(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(asked.challenge),
        rp: { id: asked.rp_id, name: 'Offizin' },
        user: { id: bytesOf(asked.user_id), name: asked.user_name, displayName: asked.display_name },
        pubKeyCredParams: KINDS_OF_KEY.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: described(asked.exclude_credential_ids),
        // It also signs in alone, so the authenticator keeps it and verifies the person.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      },
    }),
  );
  const { response } = credential;
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new NoPasskeyError();
  return {
    name,
    credential_id: credential.id,
    client_data: textOf(response.clientDataJSON),
    attestation: textOf(response.attestationObject),
    transports: response.getTransports(),
  };
}

async function orNone(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null = null;
  try {
    credential = await ask();
  } catch {
    // A browser hides the reason from the page.
  }
  if (credential instanceof PublicKeyCredential) return credential;
  throw new NoPasskeyError();
}

function described(ids: readonly string[]): PublicKeyCredentialDescriptor[] {
  return ids.map((id) => ({ type: 'public-key', id: bytesOf(id) }));
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = window.atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return window.btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
