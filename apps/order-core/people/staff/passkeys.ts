import type { PasskeyAssertion } from '@offizin/contracts/people/passkey-assertion';
import type { CreatePasskeyBody } from '@offizin/contracts/people/passkeys';
import { type ChallengePurpose, findPasskey, type StoredPasskey, takeChallenge } from './passkeys.store';
import { Refused } from '@offizin/contracts/calls/errors';
import type { Sql } from '@offizin/pg/database';
import { isIP } from 'node:net';

interface Expected {
  challenge: string;
  address: PasskeyAddress;
}

/**
 * Loaded by the first use of a passkey: its 300 files are a tenth of the heap of order-core, and of the work of its start.
 */
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** What the browser signed is right, for this console, with the person verified. Null otherwise. */
async function verifiedUse(
  assertion: PasskeyAssertion,
  passkey: StoredPasskey,
  { challenge, address }: Expected,
): Promise<{ signCount: number } | null> {
  const { credential_id: id, client_data, authenticator_data, signature } = assertion;
  const { verifyAuthenticationResponse } = await library();
  return orNull(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
      },
      ...expectations(challenge, address),
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.sign_count),
      },
    });
    return verified ? { signCount: authenticationInfo.newCounter } : null;
  });
}

/** A new passkey that the browser made for this console, with the person verified. Null otherwise. */
export async function verifiedCreation(
  body: CreatePasskeyBody,
  { challenge, address }: Expected,
): Promise<{ credentialId: string; publicKey: Buffer; signCount: number } | null> {
  const { credential_id: id, client_data, attestation } = body;
  const { verifyRegistrationResponse } = await library();
  return orNull(async () => {
    if (!(await isPlainAttestation(attestation))) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, attestationObject: attestation },
      },
      ...expectations(challenge, address),
    });
    if (!verified) return null;
    const { credential } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
    };
  });
}

/**
 * The console asks for no attestation. For other formats the library follows addresses in the given certificates, past
 * the guard of libs/egress.
 */
async function isPlainAttestation(attestation: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await helpers();
  const format = decodeAttestationObject(isoBase64URL.toBuffer(attestation)).get('fmt');
  return format === 'none' || format === 'packed';
}

function expectations(challenge: string, address: PasskeyAddress) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: address.origin,
    expectedRPID: address.requireRpId(),
    requireUserVerification: true,
  };
}

/** The library throws a sentence for each thing that is wrong; to the caller they are one. */
async function orNull<T>(verify: () => Promise<T | null>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

interface Asked {
  owner: string;
  purpose: ChallengePurpose;
  address: PasskeyAddress;
  /** Whose passkey it must be; null for anybody's. */
  staffId: string | null;
}

type Proof =
  | { isRefused: false; passkey: StoredPasskey; signCount: number }
  /** The passkey is null when it is unknown or belongs to another person. */
  | { isRefused: true; passkey: StoredPasskey | null };

/** The challenge is used up whatever the answer. `usePasskey` in the transaction of the change completes the proof. */
export async function provenPasskey(sql: Sql, assertion: PasskeyAssertion, asked: Asked): Promise<Proof> {
  const { owner, purpose, address, staffId } = asked;
  const challenge = await takeChallenge(sql, owner, purpose);
  const passkey = await findPasskey(sql, assertion.credential_id);
  if (!passkey || (staffId !== null && passkey.staff_id !== staffId))
    return { isRefused: true, passkey: null };
  const used = challenge === null ? null : await verifiedUse(assertion, passkey, { challenge, address });
  return used ? { isRefused: false, passkey, ...used } : { isRefused: true, passkey };
}

/** The same words whatever is wrong. */
export function refusedPasskey(): Refused {
  return new Refused('unauthorized', 'The passkey was not accepted.');
}

/** Passkeys belong to a host name. Browsers make none for an IP address. */
export class PasskeyAddress {
  readonly origin: string;
  /** Null where the console has no host name. */
  readonly rpId: string | null;

  constructor(consoleBaseUrl: string) {
    const { origin, hostname } = new URL(consoleBaseUrl);
    this.origin = origin;
    this.rpId = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : null;
  }

  /** Throws `Refused` (conflict). */
  requireRpId(): string {
    if (this.rpId !== null) return this.rpId;
    throw new Refused('conflict', 'Passkeys need a console with a host name; this one has an IP address.');
  }
}
