import type { PasskeyAssertion } from '@offizin/contracts/passkey-assertion';
import type { CreatePasskeyBody } from '@offizin/contracts/passkeys';
import type { PasskeyAddress } from './passkey-address';
import type { StoredPasskey } from './passkeys.store';

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
export async function verifiedUse(
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
