// The library of certificates does not load without it.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3_600_000;

/** A certificate authority of one test. Its key is in memory only. */
export class TestAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'offizin-authority-'));
  /** Its certificate (PEM). */
  readonly caFile = join(this.folder, 'ca.crt');

  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly own: X509Certificate,
  ) {
    writeFileSync(this.caFile, own.toString('pem'));
  }

  static async create(name = 'offizin test'): Promise<TestAuthority> {
    const keys = await newKeys();
    const own = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      notAfter: inDays(30),
      keys,
      signingAlgorithm: ECDSA,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new TestAuthority(keys, own);
  }

  /** Writes tls.crt, tls.key and ca.crt into the folder, as cert-manager does, valid for the names from now on. */
  async issue(folder: string, { names = ['localhost', '127.0.0.1'], days = 30 } = {}): Promise<void> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: 'CN=nats',
      issuer: this.own.subject,
      notAfter: inDays(days),
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ECDSA,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
        new SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
        ),
      ],
    });
    const key = PemConverter.encode(
      await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
      PemConverter.PrivateKeyTag,
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'tls.crt'), certificate.toString('pem'));
    writeFileSync(join(folder, 'tls.key'), key, { mode: 0o600 });
    writeFileSync(join(folder, 'ca.crt'), this.certificate());
  }

  certificate(): string {
    return readFileSync(this.caFile, 'utf8');
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
