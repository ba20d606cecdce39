import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { eventually } from '@offizin/testkit/eventually';

const preload = join(checkoutRoot, 'verification', 'promises', 'faults', 'preload-shifted-clock.cjs');

/**
 * Environment for a process whose wall clock is shifted. A module that is loaded before all others replaces `Date`;
 * timers are not affected.
 */
export function clockShiftedBy(shiftMs: number): Record<string, string> {
  return { NODE_OPTIONS: `--require ${preload}`, CHAOS_CLOCK_SHIFT_MS: String(shiftMs) };
}

/** Wall clocks of the apps of one stack; each can jump while its process runs. */
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

  /** Resolves when the app's clock is shifted by `shiftMs`; 0 corrects it. */
  async jump(app: AppName, shiftMs: number): Promise<void> {
    const file = this.fileOf(app);
    // Renaming is atomic: the app never reads half a number.
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
