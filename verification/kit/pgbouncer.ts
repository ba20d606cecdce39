import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isFree } from '@offizin/local-stack/ports';
import { killChild, programProblem, requiredProgram } from './programs';
import { eventually } from './eventually';

const PROGRAM = 'pgbouncer';
/** It refuses to run as root. */
const NOBODY = 65_534;

export const pgBouncerProblem = programProblem(PROGRAM);

export interface PgBouncerOptions {
  /** Any URL of the server behind. */
  serverUrl: string;
  poolMode: 'session' | 'transaction';
  /** Names and passwords of those who may come through. */
  logins: Readonly<Record<string, string>>;
}

/** A real pooler before PostgreSQL. */
export class PgBouncer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(options: PgBouncerOptions): Promise<PgBouncer> {
    const program = requiredProgram(PROGRAM);
    const port = await freePort();
    const bouncer = new PgBouncer(program, configurationFolder(options, port), port);
    await bouncer.start();
    return bouncer;
  }

  /** The same login and database, through the pooler. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.port}`;
    return changed.toString();
  }

  async start(): Promise<void> {
    const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const file = join(this.folder, 'pgbouncer.ini');
    this.child = spawn(this.program, ['-q', file], { ...account, stdio: 'ignore' });
    await eventually('the pooler to listen', async () => !(await isFree(this.port)));
  }

  async kill(): Promise<void> {
    await killChild(this.child);
  }
}

function configurationFolder({ serverUrl, poolMode, logins }: PgBouncerOptions, port: number): string {
  const { hostname, port: serverPort } = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), 'offizin-pgbouncer-'));
  const users = join(folder, 'users.txt');
  const files = {
    [users]: Object.entries(logins).map(([name, password]) => `"${name}" "${password}"\n`),
    [join(folder, 'pgbouncer.ini')]: [
      `[databases]\n* = host=${hostname} port=${serverPort}\n`,
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n`,
      `auth_type = scram-sha-256\nauth_file = ${users}\n`,
      `pool_mode = ${poolMode}\nmax_client_conn = 500\ndefault_pool_size = 60\n`,
    ],
  };
  for (const [file, lines] of Object.entries(files)) writeFileSync(file, lines.join(''), { mode: 0o600 });
  if (process.getuid?.() === 0)
    for (const path of [folder, ...Object.keys(files)]) chownSync(path, NOBODY, NOBODY);
  return folder;
}
