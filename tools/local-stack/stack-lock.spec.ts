import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDir } from './stack-lock';

describe('the lock of a data folder', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'lock-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('refuses a second stack and names the first', () => {
    lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(`Another stack (pid ${process.pid}) runs on ${dataDir}`);
  });

  it('can be taken again after its release', () => {
    lockDataDir(dataDir)();
    lockDataDir(dataDir)();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is taken over from a dead process', () => {
    writeFileSync(join(dataDir, 'stack.pid'), '4194304\n12345\n');
    lockDataDir(dataDir);
    expect(readdirSync(dataDir)).toEqual(['stack.pid']);
  });

  it('is taken over when the process id now belongs to another process', () => {
    writeFileSync(join(dataDir, 'stack.pid'), `${process.pid}\nstarted at another time\n`);
    const unlock = lockDataDir(dataDir);
    unlock();
    expect(existsSync(join(dataDir, 'stack.pid'))).toBe(false);
  });
});
