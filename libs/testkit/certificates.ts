import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc'];

/** A certificate authority of one test. Its keys are made at run time and deleted with it. */
export class TestAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'offizin-authority-'));
  /** Its certificate (PEM). */
  readonly caFile = join(this.folder, 'ca.crt');

  constructor(name = 'offizin test') {
    // The machine's own configuration of OpenSSL would add extensions.
    writeFileSync(join(this.folder, 'openssl.cnf'), '[req]\ndistinguished_name = name\n[name]\n');
    this.request(['-subj', `/CN=${name}`, '-days', '30'], 'ca', [
      'basicConstraints=critical,CA:TRUE',
      'keyUsage=critical,keyCertSign',
      'subjectKeyIdentifier=hash',
    ]);
  }

  /** Writes tls.crt, tls.key and ca.crt into the folder, as cert-manager does, valid for the names from now on. */
  issue(folder: string, { names = ['DNS:localhost', 'IP:127.0.0.1'], days = 30 } = {}): void {
    mkdirSync(folder, { recursive: true });
    const signer = ['-CA', this.caFile, '-CAkey', join(this.folder, 'ca.key')];
    this.request(['-subj', '/CN=nats', '-days', String(days), ...signer], 'tls', [
      'basicConstraints=critical,CA:FALSE',
      'extendedKeyUsage=serverAuth,clientAuth',
      `subjectAltName=${names.join(',')}`,
    ]);
    for (const file of ['tls.crt', 'tls.key', 'ca.crt'])
      copyFileSync(join(this.folder, file), join(folder, file));
  }

  certificate(): string {
    return readFileSync(this.caFile, 'utf8');
  }

  delete(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private request(args: string[], name: string, extensions: string[]): void {
    const files = ['-keyout', join(this.folder, `${name}.key`), '-out', join(this.folder, `${name}.crt`)];
    const config = ['-config', join(this.folder, 'openssl.cnf')];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    execFileSync('openssl', ['req', '-x509', ...config, ...EC_KEY, ...args, ...files, ...added], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}
