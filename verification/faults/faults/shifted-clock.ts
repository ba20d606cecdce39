import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { eventually } from '@offizin/testkit/eventually';

const preload = join(checkoutRoot, 'verification', 'faults', 'faults', 'preload-shifted-clock.cjs');

/**
 * Environment for a process whose clock is wrong by so much. Only its own idea of the time moves: a module that is
 * loaded before everything else replaces `Date`, timers go on as they do.
 */
export function clockShiftedBy(shiftMs: number): Record<string, string> {
  return { NODE_OPTIONS: `--require ${preload}`, CHAOS_CLOCK_SHIFT_MS: String(shiftMs) };
}

/** Wall clocks of the apps of one stack. Each can jump while its process runs. */
export class JumpingClocks {
  private readonly folder = mkdtempSync(join(tmpdir(), 'offizin-chaos-clocks-'));
  /** Environment by app, for the start of the stack. */
  readonly environments: Record<AppName, Record<string, string>>;

  constructor() {
    const environments = appNames.map((app) => {
      writeFileSync(this.fileOf(app), '0');
      return [app, { NODE_OPTIONS: `--require ${preload}`, CHAOS_CLOCK_FILE: this.fileOf(app) }];
    });
    this.environments = Object.fromEntries(environments) as typeof this.environments;
  }

  /** Resolves when the clock of the app is wrong by so much; 0 makes it right again. */
  async jump(app: AppName, shiftMs: number): Promise<void> {
    const file = this.fileOf(app);
    // Renamed, so that the app never reads half a number.
    writeFileSync(`${file}.next`, String(shiftMs));
    renameSync(`${file}.next`, file);
    const reached = `${file}.reached`;
    await eventually(
      `the clock of ${app} to jump by ${shiftMs} ms`,
      () => existsSync(reached) && readFileSync(reached, 'utf8') === String(shiftMs),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private fileOf(app: AppName): string {
    return join(this.folder, app);
  }
}
