import { openAs, signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { codeOf, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { usePlatform } from '@offizin/testkit/platform';
import { handInPrescription } from '../pages/filled-pharmacy';
import { newPharmacy } from './review-screen';

/** A pharmacist reads what platforms handed in; the audit log names who did. */
const openScreen = useScreens();
const platform = usePlatform();

it('shows the fields and the receipt of a prescription, and notes each look with its person', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const screen = await openScreen();
  await signInAs(screen, pharmacist);
  const { page } = screen;
  const entry = page.getByRole('link', { name: 'Rezepte' });
  await page.goto('/console/settings/me');
  await page.getByRole('heading', { name: 'Mein Konto' }).waitFor();
  // A pharmacy without prescriptions of this kind has no entry for them.
  expect(await entry.count()).toBe(0);
  const anna = await handInPrescription(organization, 'anna@kunden.example', ['Anna', 'Anders']);
  await handInPrescription(organization, 'bodo@kunden.example', ['Bodo', 'Beck']);
  await page.reload();
  await entry.waitFor();
  await screen.press('g', 'd');
  const rows = page.getByRole('grid', { name: 'Rezepte' }).getByRole('row');
  await rows.filter({ hasText: 'Bodo Beck' }).waitFor();
  await page.getByRole('status').getByText('2 Rezepte').waitFor();
  await page.getByRole('searchbox').fill('anna');
  await screen.press('Enter');
  await page.getByText('Gesucht wird nach der ganzen E-Mail-Adresse').waitFor();
  await page.getByRole('searchbox').fill('Anna@kunden.example');
  await screen.press('Enter');
  await page.getByRole('status').getByText('1 Rezept').waitFor();
  await page.getByRole('searchbox').blur();
  await screen.press('j', 'Enter');
  const fields = page.getByRole('region', { name: 'Angaben zum Rezept' });
  await fields.getByText('Chronische Schmerzen').waitFor();
  await fields.getByText('allergies: keine').waitFor();
  // Named in the reader's language, with amounts as money.
  await fields.getByText('Vorname', { exact: true }).waitFor();
  await fields.getByText(/^142,50\s€$/).waitFor();
  await fields.getByText('Privatrezept').first().waitFor();
  await screen.keepScreenshot('prescription-open');
  expect(new URL(page.url()).searchParams.get('id')).toBe(anna);
  await eventually('the audit log to name the pharmacist', async () => {
    const path = `/audit-log?actor=staff:${pharmacist.id}&limit=50`;
    const { data } = json<{ data: { action: string; object: string }[] }>(
      await organization.api('GET', path),
    );
    const seen = data.map(({ action, object }) => `${action} ${object}`);
    const [read, receipt] = ['prescription.read', 'prescription.read-receipt'];
    return [
      `${read} prescription:${anna}:version:1`,
      `${receipt} prescription:${anna}:document:1:version:1`,
    ].every((look) => seen.includes(look));
  });

  await eventually('the erasure to be finished', async () => {
    const { body } = await organization.api('POST', '/customers/erase', { email: 'anna@kunden.example' });
    return (JSON.parse(body.toString()) as { status: string }).status === 'done';
  });
  // By itself, on the open page.
  await fields.getByText('Die Daten des Kunden sind auf Verlangen gelöscht worden.').waitFor();
  expect(await fields.getByText('Chronische Schmerzen').count()).toBe(0);
  await page.goto(`/console/prescriptions?id=${anna}`);
  await fields.getByText('Die Daten des Kunden sind auf Verlangen gelöscht worden.').waitFor();
  await fields.getByText('Ohne Beleg eingereicht.').waitFor();
  await rows.filter({ hasText: 'Gelöscht' }).waitFor();
  expect(await page.getByText('anna@kunden.example').count()).toBe(0);
});

it('is refused to a person who may only see orders, as if the prescription were unknown', async () => {
  const { organization } = await newPharmacy(platform);
  const id = await handInPrescription(organization, 'anna@kunden.example');
  const clerk = await platform.person(organization.orgId, 'clerk');
  const screen = await openScreen();
  await openAs(screen, clerk, `/console/prescriptions?id=${id}`);
  await screen.page.getByText('Dafür fehlt Ihrer Rolle ein Recht').waitFor();
  expect(await screen.page.getByRole('link', { name: 'Rezepte' }).count()).toBe(0);
  for (const path of ['', '/receipt.pdf']) {
    const answers = [id, organization.orgId].map(async (each) =>
      codeOf(await clerk.org('GET', `/prescriptions/${each}${path}`)),
    );
    expect(await Promise.all(answers)).toEqual(['403 insufficient_scope', '403 insufficient_scope']);
  }
});
