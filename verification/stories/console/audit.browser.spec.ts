import { buffer } from 'node:stream/consumers';
import { choose } from '@offizin/testkit/browser/pickers';
import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, submitRight } from './requests/review-screen';

/** The owner finds out who saw a prescription. */
const openScreen = useScreens();
const platform = usePlatform();

it('finds who saw a prescription by person, action and object, and verifies the log', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const owner = await platform.person(organization.orgId, 'owner');
  const id = await submitRight(organization, 'Anna Anders');
  expect((await pharmacist.org('POST', `/review/requests/${id}/viewed`)).status).toBe(204);
  for (let opening = 1; opening <= 3; opening++) {
    expect((await pharmacist.org('GET', `/order-requests/${id}/prescription.pdf`)).status).toBe(200);
  }
  const { data: people } = json<{ data: { id: string; name: string }[] }>(await owner.org('GET', '/staff'));
  const name = people.find((person) => person.id === pharmacist.id)?.name ?? '';
  const screen = await openScreen();
  const page = await openAs(screen, owner, '/console/settings/me');
  await page.getByRole('heading', { name: 'Mein Konto' }).waitFor();
  await screen.press('g', 'a');
  const rows = page.getByRole('grid', { name: 'Protokoll' }).getByRole('row');
  await rows.filter({ hasText: 'Angemeldet' }).first().waitFor();
  await choose(page, 'Wer', name);
  await choose(page, 'Was', 'Rezept angesehen');
  await choose(page, 'Zeitraum', 'Letzte 7 Tage');
  await page.getByRole('status').getByText('1 Eintrag').waitFor();
  await page.reload();
  const seen = rows.filter({ hasText: 'Rezept angesehen' });
  await seen.getByText(name).waitFor();
  await screen.press('j', 'Enter');
  const entry = page.getByRole('region', { name: 'Eintrag' }).first();
  await entry.getByText(`order-request:${id}`).waitFor();
  await screen.keepScreenshot('audit-entry');
  await entry.getByText('Anfrage Anna Anders').waitFor();
  await entry.getByRole('button', { name: 'Alle Einträge zu diesem Objekt' }).click();
  await rows.filter({ hasText: 'Anfrage eingereicht' }).waitFor();
  expect(new URL(page.url()).search).toBe(`?object=${encodeURIComponent(`order-request:${id}`)}`);

  const openings = rows.filter({ hasText: 'Rezept gelesen' });
  await openings.filter({ hasText: /· 3-mal, \d\d:\d\d.*Anfrage Anna Anders/ }).waitFor();
  expect(await openings.count()).toBe(1);
  const folded = page.getByRole('status').getByText(/^\d+ Einträge, gruppiert$/);
  await folded.waitFor();
  await openings.click();
  await screen.keepScreenshot('audit-openings');
  await screen.press('f');
  await openings.nth(2).waitFor();
  await folded.waitFor({ state: 'detached' });
  await screen.press('f', 'Escape');
  await openings.nth(1).waitFor({ state: 'detached' });

  const saving = page.waitForEvent('download');
  await screen.press('Shift+E');
  const saved = (await buffer(await (await saving).createReadStream())).toString();
  expect(saved).toMatch(/^\uFEFF"Stelle";/);
  expect(saved).toContain(`"order-request:${id}"`);

  await screen.press('v');
  const dialog = page.getByRole('dialog', { name: 'Ist das Protokoll vollständig?' });
  await dialog.getByText(/^Ja: [\d.]+ Einträge geprüft/).waitFor();
  await screen.press('Escape');
  await page.getByRole('searchbox').fill('order:none');
  await screen.press('Enter');
  await page.getByText('Kein Eintrag passt zu diesem Filter').waitFor();
  await page.getByRole('button', { name: 'Filter entfernen' }).first().click();
  await rows.filter({ hasText: 'Angemeldet' }).first().waitFor();

  await page.goto(`/console/requests?id=${id}`);
  await page.getByRole('link', { name: 'Wer hat das gesehen?' }).click();
  // The owner may have seen it, too, by then.
  await seen.getByText(name).waitFor();
});
