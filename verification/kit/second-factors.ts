import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What the page gives to a passkey, and gets. Source: WebAuthn Level 3, sections 6.1 and 6.5. */
interface Asked {
  challenge: string;
  rp_id: string;
}

interface AnswerOptions {
  origin?: string;
  /** The person was not verified, only present. */
  isUnverified?: boolean;
  /** Instead of one more than before. */
  signCount?: number;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

/** One passkey in software, with the answers that a browser sends. ES256, without attestation. */
export class SoftAuthenticator {
  readonly credentialId = randomBytes(32);
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject };
  private signCount = 0;

  constructor(private readonly origin: string) {
    this.keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  create(asked: Asked, options: AnswerOptions = {}) {
    const length = Buffer.from([0, this.credentialId.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, this.coseKey()]);
    const data = Buffer.concat([this.head(asked, options, WITH_KEY), attested]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return {
      name: 'Telefon',
      credential_id: this.credentialId.toString('base64url'),
      client_data: this.clientData('webauthn.create', asked, options).toString('base64url'),
      attestation: attestation.toString('base64url'),
      transports: ['internal'],
    };
  }

  answer(asked: Asked, options: AnswerOptions = {}) {
    this.signCount = options.signCount ?? this.signCount + 1;
    const data = this.head(asked, options, 0);
    const clientData = this.clientData('webauthn.get', asked, options);
    const hash = createHash('sha256').update(clientData).digest();
    const signature = sign('sha256', Buffer.concat([data, hash]), this.keys.privateKey);
    return {
      credential_id: this.credentialId.toString('base64url'),
      client_data: clientData.toString('base64url'),
      authenticator_data: data.toString('base64url'),
      signature: signature.toString('base64url'),
    };
  }

  private head({ rp_id: rpId }: Asked, { isUnverified = false }: AnswerOptions, further: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.signCount);
    const flags = PRESENT | (isUnverified ? 0 : VERIFIED) | further;
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]);
  }

  private clientData(type: string, { challenge }: Asked, { origin = this.origin }: AnswerOptions): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  /** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR: an elliptic curve key for ES256 on P-256. */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const coordinates = [x, y].map((value) => Buffer.from(value, 'base64url'));
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = coordinates;
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      first,
      Buffer.from([0x22, 0x58, 0x20]),
      second,
    ]);
  }
}

/** A short text in CBOR. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

const STEP_MS = 30_000;

/**
 * What the app of a person shows for a secret in base32; `later` steps from now. A code counts once, and within a step of
 * now: a story sets up with 0 and signs in with 1, which both stay valid for 30 s at least.
 */
export function codeOfApp(secret: string, later = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + later * STEP_MS });
}
