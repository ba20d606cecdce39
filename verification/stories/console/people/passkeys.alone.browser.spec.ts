import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startStack, type Stack } from '@offizin/local-stack/stack';
import { freeStackPorts } from '@offizin/local-stack/stack-ports';
import { addSession, type Screen, SIGNED_OUT, useScreens } from '@offizin/testkit/browser/screen';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { accessTo, TestPlatform } from '@offizin/testkit/platform';

/** Passkeys need a console with a host name, so this stack is reached as localhost. */
const openScreen = useScreens();
const START_LIMIT_MS = 120_000;

let dataDir: string;
let stack: Stack;
let baseUrl: string;
let platform: TestPlatform;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'offizin-passkeys-'));
  const ports = await freeStackPorts();
  baseUrl = `http://localhost:${ports.gateway}`;
  const named = { gateway: { PUBLIC_BASE_URL: baseUrl }, 'order-core': { CONSOLE_BASE_URL: baseUrl } };
  stack = await startStack({ dataDir, ports, extraEnv: withGenerousLimits(named) });
  platform = await TestPlatform.connect({ ...accessTo(stack), baseUrl });
}, START_LIMIT_MS);
afterAll(async () => {
  await platform.close();
  await stack.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, START_LIMIT_MS);

/** A device that verifies its person by itself, in Chromium's own words. */
async function giveAuthenticator({ context, page }: Screen): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function addPasskey(page: Page): Promise<void> {
  await page.goto(`${baseUrl}/console/settings/me`);
  await page.getByRole('button', { name: 'Passkey hinzufügen' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Telefon');
  await page.getByRole('dialog').getByRole('button', { name: 'Weiter' }).click();
  await page.getByText('Telefon, noch nie benutzt').waitFor();
}

it('is added, asked for after the password, signs in alone, opens the lock and is removed', async () => {
  const { orgId } = await platform.organization();
  const person = await platform.person(orgId, 'pharmacist');
  const screen = await openScreen();
  const { page, context } = screen;
  // The stream of the session that is left ends, too.
  screen.faults.expect(SIGNED_OUT, /status of 401/);
  await giveAuthenticator(screen);
  await addSession(context, person, baseUrl);
  await addPasskey(page);
  await screen.keepScreenshot('passkeys');

  await context.clearCookies();
  await page.goto(`${baseUrl}/console/sign-in`);
  await page.getByLabel('E-Mail').fill(person.email);
  await page.getByLabel('Passwort').fill(person.password);
  await screen.press('Enter');
  await page.getByRole('button', { name: 'Passkey benutzen' }).click();
  await page.waitForURL('**/console/requests');

  await context.clearCookies();
  await page.goto(`${baseUrl}/console/sign-in`);
  await page.getByRole('button', { name: 'Mit Passkey anmelden' }).click();
  await page.waitForURL('**/console/requests');

  await page.goto(`${baseUrl}/console/settings/me`);
  await page.getByText(/Telefon, zuletzt benutzt/).waitFor();
  await page.getByRole('button', { name: 'Passkey „Telefon“ entfernen' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Entfernen' }).click();
  await page.getByText(/Telefon, zuletzt benutzt/).waitFor({ state: 'detached' });
});

it('opens a screen whose session has ended', async () => {
  const { orgId } = await platform.organization();
  const person = await platform.person(orgId, 'pharmacist');
  const screen = await openScreen();
  screen.faults.expect(/status of 401/);
  await giveAuthenticator(screen);
  await addSession(screen.context, person, baseUrl);
  await addPasskey(screen.page);
  expect((await person.call('DELETE', '/api/session')).status).toBe(204);
  const lock = screen.page.getByRole('dialog', { name: 'Gesperrt' });
  await lock.getByRole('button', { name: 'Mit Passkey öffnen' }).click();
  await lock.waitFor({ state: 'detached' });
  await screen.page.getByText(/Telefon, zuletzt benutzt/).waitFor();
});
