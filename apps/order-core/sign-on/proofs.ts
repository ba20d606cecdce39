import { createHmac } from 'node:crypto';

/** What goes through the browser and the provider, each made from the token that only the browser's cookie holds. */
export interface Proofs {
  state: string;
  nonce: string;
  verifier: string;
}

/** Derived and not stored: the database holds only the hash of the token. 43 characters, as PKCE asks for. */
export function proofsOf(token: string): Proofs {
  const derive = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}
