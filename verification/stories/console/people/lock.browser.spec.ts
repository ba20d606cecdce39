import type { Page } from 'playwright-core';
import { signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import {
  newPharmacy,
  ReviewScreen,
  statusOf,
  submitRight,
  untilStatus,
  withoutUndo,
} from '../requests/review-screen';

/** The screen locks during work: typed text is kept, and other people cannot read it. */
const openScreen = useScreens();
/** The browser notes refused answers; here the session ends on purpose. */
const ENDED = /status of 401 /;

const platform = usePlatform();

async function opened(customers: string[], expected: RegExp[] = []) {
  const { organization, pharmacist } = await newPharmacy(platform);
  const ids: string[] = [];
  for (const customer of customers) ids.push(await submitRight(organization, customer));
  const screen = await openScreen();
  screen.faults.expect(...expected);
  return { organization, pharmacist, screen, ids };
}

function lockOf(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Gesperrt' });
  return {
    dialog,
    enter: async (password: string) => {
      await dialog.getByLabel('Passwort').fill(password);
      await dialog.getByRole('button', { name: 'Weiterarbeiten' }).click();
    },
  };
}

/** As if another person, such as the owner, had ended it. */
async function endSession(person: TestPerson): Promise<void> {
  const answer = await person.call('DELETE', '/api/session');
  expect(answer.status).toBe(204);
}

it('locks after 15 minutes without a touch, and keeps address and typed text', async () => {
  const { pharmacist, screen } = await opened(['Anna Anders'], [ENDED]);
  await screen.page.clock.install();
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  let documents = 0;
  screen.page.on('request', (sent) => (documents += sent.url().includes('/prescription.pdf?') ? 1 : 0));
  await review.press('q');
  await review.dialog.getByRole('textbox').fill('Bitte die zweite Seite');
  const address = screen.page.url();
  const lock = lockOf(screen.page);
  await screen.page.clock.runFor('14:50');
  expect(await lock.dialog.count()).toBe(0);
  await screen.page.clock.runFor('00:20');
  await lock.dialog.waitFor();
  expect(await screen.page.locator('canvas').count()).toBe(0);
  await lock.enter('a wrong password');
  await screen.page.getByText('Das Passwort stimmt nicht.').waitFor();
  await lock.enter(pharmacist.password);
  await lock.dialog.waitFor({ state: 'hidden' });
  expect(screen.page.url()).toBe(address);
  expect(await review.dialog.getByRole('textbox').inputValue()).toBe('Bitte die zweite Seite');
  await review.press('Escape');
  await review.untilArmed('Anna Anders');
  // Nothing of it was kept below the lock.
  expect(documents).toBe(1);
});

it('cannot be passed by reloading the page or by another tab', async () => {
  const { pharmacist, screen } = await opened(['Anna Anders'], [ENDED]);
  await screen.page.clock.install();
  await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  await screen.page.clock.runFor('15:10');
  await lockOf(screen.page).dialog.waitFor();
  await eventually('the session to have ended', async () => {
    return (await pharmacist.call('GET', '/api/session')).status === 401;
  });
  const tab = await screen.context.newPage();
  for (const page of [tab, screen.page]) {
    await page.goto('/console/requests');
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  }
});

it('can be signed out of and into again without a lock', async () => {
  const { pharmacist, screen } = await opened(['Anna Anders'], [ENDED]);
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  const note = review.dialog.getByLabel('Notiz für das Team');
  await review.press('n');
  await note.fill('Nicht für die Nächste am Rechner.');
  await review.press('Escape');
  await screen.page.getByRole('button', { name: /PTA|Apotheker/ }).click();
  await screen.page.getByRole('menuitem', { name: 'Abmelden' }).click();
  await screen.page.getByLabel('E-Mail').fill(pharmacist.email);
  await screen.page.getByLabel('Passwort').fill(pharmacist.password);
  await screen.page.getByRole('button', { name: 'Anmelden' }).click();
  await review.untilArmed('Anna Anders');
  expect(await lockOf(screen.page).dialog.count()).toBe(0);
  await review.press('n');
  expect(await note.inputValue()).toBe('');
});

it('gives nothing of the first person to somebody else', async () => {
  const { organization, pharmacist, screen, ids } = await opened(['Anna Anders', 'Bodo Beck'], [ENDED]);
  const other = await platform.person(organization.orgId, 'pharmacist');
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  await endSession(pharmacist);
  await review.press('a');
  const lock = lockOf(screen.page);
  await lock.dialog.waitFor();
  await lock.dialog.getByRole('button', { name: 'Andere Person' }).click();
  await screen.page.getByLabel('E-Mail').fill(other.email);
  await screen.page.getByLabel('Passwort').fill(other.password);
  await screen.page.getByRole('button', { name: 'Anmelden' }).click();
  await review.untilArmed('Anna Anders');
  expect(await statusOf(organization, ids[0] ?? '')).toBe('pending');
});

it('starts over with the password that the same e-mail has in another organization', async () => {
  const { pharmacist, screen } = await opened(['Anna Anders'], [ENDED]);
  const elsewhere = await newPharmacy(platform, 'Bodo Beck');
  const there = await platform.person(elsewhere.organization.orgId, 'pharmacist', pharmacist.email);
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  let loads = 0;
  screen.page.on('load', () => loads++);
  await endSession(pharmacist);
  await review.press('a');
  await lockOf(screen.page).enter(there.password);
  await screen.page.getByText('Bodo Beck').first().waitFor();
  expect(loads).toBe(1);
  expect(await screen.page.getByText('Anna Anders').count()).toBe(0);
});

it('locks the other tabs of a browser in which another person signs in', async () => {
  const { organization, pharmacist, screen } = await opened(['Anna Anders'], [ENDED]);
  const other = await platform.person(organization.orgId, 'pharmacist');
  await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  const tab = await screen.context.newPage();
  await screen.context.clearCookies();
  await tab.goto('/console/sign-in');
  await tab.getByLabel('E-Mail').fill(other.email);
  await tab.getByLabel('Passwort').fill(other.password);
  await tab.getByRole('button', { name: 'Anmelden' }).click();
  await lockOf(screen.page).dialog.waitFor();
});

it('sends nothing as another person whose session the browser has got meanwhile', async () => {
  const { organization, pharmacist, screen, ids } = await opened(['Anna Anders', 'Bodo Beck'], [ENDED]);
  const other = await platform.person(organization.orgId, 'pharmacist');
  await withoutUndo(pharmacist);
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  // Only the cookie is gone: no tab informs the others.
  await signInAs(screen, other);
  await review.press('a');
  const lock = lockOf(screen.page);
  await lock.dialog.waitFor();
  expect(await statusOf(organization, ids[0] ?? '')).toBe('pending');
  await lock.enter(pharmacist.password);
  await untilStatus(organization, ids[0] ?? '', 'approved');
  const { data } = json<{ data: { action: string; actor: string }[] }>(
    await organization.api('GET', '/audit-log?limit=50'),
  );
  const approvals = data.filter(({ action }) => action === 'order-request.approve');
  expect(approvals.map(({ actor }) => actor)).toEqual([`staff:${pharmacist.id}`]);
});

it('warns two minutes before the session ends, which can be put off', async () => {
  const { pharmacist, screen } = await opened(['Anna Anders'], [ENDED]);
  await screen.page.clock.install();
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  const session = JSON.parse(String((await pharmacist.call('GET', '/api/session')).body)) as {
    ends_at: string;
  };
  await screen.page.clock.setSystemTime(Date.parse(session.ends_at) - 110_000);
  await screen.page.mouse.move(10, 10);
  await screen.page.clock.runFor(6_000);
  await review.message('Ihre Sitzung endet in weniger als zwei Minuten.').waitFor();
  await screen.page.getByRole('button', { name: 'Neu anmelden' }).click();
  const lock = lockOf(screen.page);
  await lock.enter(pharmacist.password);
  await lock.dialog.waitFor({ state: 'hidden' });
  await eventually('the person to have a second session', async () => {
    const { data } = JSON.parse(String((await pharmacist.call('GET', '/api/sessions')).body)) as {
      data: unknown[];
    };
    return data.length === 2;
  });
});
