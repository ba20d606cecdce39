import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export interface BrowserServer {
  /** For `chromium.connect`. */
  url: string;
  stop: () => Promise<void>;
}

/**
 * One browser for a whole test run, as there is one stack; each test has a context in it. It ends with this process,
 * however that ends: its command pipe closes then. `folder` takes its profile.
 */
export async function startBrowser(executablePath: string, folder: string): Promise<BrowserServer> {
  const profiles = join(folder, 'browser');
  mkdirSync(profiles);
  const before = process.env['TMPDIR'];
  // Playwright creates the profile in the system's temporary folder and takes no other.
  process.env['TMPDIR'] = profiles;
  try {
    const server = await chromium.launchServer({
      executablePath,
      host: '127.0.0.1',
      args: ['--disable-gpu', '--font-render-hinting=none'],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    return { url: server.wsEndpoint(), stop: () => server.close() };
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
