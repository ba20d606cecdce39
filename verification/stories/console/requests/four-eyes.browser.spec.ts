import { axeFindings } from '@offizin/testkit/browser/page-checks';
import { openAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { usePlatform } from '@offizin/testkit/platform';
import { withPrinter } from '../orders/list-screens';
import {
  newPharmacy,
  prescriptionFor,
  ReviewScreen,
  submitRight,
  submitWith,
  untilStatus,
  withoutUndo,
  withRules,
} from './review-screen';

/** Two people approve one request: the first waits, the second completes. One person cannot be both. */
const openScreen = useScreens();
const SOON_MS = 5_000;

const platform = usePlatform();

it('is chosen by the owner, with categories where only controlled products need it', async () => {
  const { organization } = await newPharmacy(platform);
  const owner = await platform.person(organization.orgId, 'owner');
  const screen = await openScreen();
  const page = await openAs(screen, owner, '/console/settings/review');
  await page.getByRole('radio', { name: 'bei kontrollierten Produkten' }).press('Space');
  await page.getByLabel('Weitere Kategorien').fill('Betäubungsmittel, Schlafmittel');
  await screen.keepScreenshot('review-settings-four-eyes');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Prüfregeln gespeichert.').waitFor();
  expect(json(await owner.org('GET', '/settings/review'))).toMatchObject({
    four_eyes: 'controlled',
    four_eyes_categories: ['Betäubungsmittel', 'Schlafmittel'],
  });
  const address = `/products/${await platform.stockedProduct(organization, 1)}`;
  const clerk = await platform.person(organization.orgId, 'clerk');
  expect((await clerk.org('PUT', address, { category: 'Schlafmittel' })).status).toBe(200);
  expect((await clerk.org('PUT', address, { category: 'Tee' })).status).toBe(403);
});

it('has one person approve and another complete it; lists follow by themselves', async () => {
  const { organization, pharmacist: first } = await newPharmacy(platform);
  const second = await platform.person(organization.orgId, 'pharmacist');
  for (const person of [first, second]) await withoutUndo(person);
  await withRules(platform, organization, { four_eyes: 'all' });
  const id = await submitRight(organization, 'Anna Anders');
  await submitRight(organization, 'Bodo Beck');
  const one = await ReviewScreen.openedBy(await openScreen(), first);
  const other = await ReviewScreen.openedBy(await openScreen(), second, '?sort=newest');
  await one.untilArmed('Anna Anders');
  await one.press('a');
  await one.message('Anna Anders: wartet auf den zweiten Blick einer anderen Person.').waitFor();
  await other.row('Anna Anders').waitFor({ state: 'detached', timeout: SOON_MS });
  await other.page.getByRole('button', { name: 'Zweiter Blick 1' }).click();
  await other
    .row('Anna Anders')
    .getByText(/^Freigegeben: A/)
    .waitFor();
  await other.page.getByText(/^Anna .+ hat am .+ freigegeben\./).waitFor();
  await other.screen.keepScreenshot('second-look');
  await other.untilArmed('Anna Anders');
  await other.press('a');
  await untilStatus(organization, id, 'approved');
  const orders = json<{ pagination: { total: number } }>(await organization.api('GET', '/orders'));
  expect(orders.pagination.total).toBe(1);
});

it('shows the second person what the first has changed, and approves exactly that', async () => {
  const { organization, pharmacist: first } = await newPharmacy(platform);
  const second = await platform.person(organization.orgId, 'pharmacist');
  await withoutUndo(second);
  const id = await submitRight(organization, 'Anna Anders');
  await withRules(platform, organization, { four_eyes: 'all' });
  const correction = { customer_name: 'Anna Andersen', version: 1 };
  const approved = await first.org('POST', `/order-requests/${id}/approve`, correction);
  expect(approved.status).toBe(202);
  const key = await organization.api('POST', `/order-requests/${id}/approve`, {});
  expect([key.status, json<{ message: string }>(key).message]).toEqual([
    409,
    'Two people must approve this request in the console.',
  ]);
  const review = await ReviewScreen.openedBy(await openScreen(), second, '?tab=second_look');
  await review.page
    .getByRole('region', { name: /^Geändert von Anna/ })
    .getByText('Anna Andersen')
    .waitFor();
  await review.untilArmed('Anna Anders');
  await review.press('a');
  await review.dialog.getByText('Der Name des Patienten steht nicht auf dem Rezept').waitFor();
  await review.page.keyboard.type('Neuer Name nach Heirat');
  await review.dialog.getByRole('button', { name: 'Trotzdem freigeben' }).click();
  await untilStatus(organization, id, 'approved');
  const { data } = json<{ data: { customer_name: string }[] }>(await organization.api('GET', '/orders'));
  expect(data).toMatchObject([{ customer_name: 'Anna Andersen' }]);
});

it('sends nothing that a colleague has changed while a dialog was open, and applies no older edits', async () => {
  const { organization, pharmacist: first } = await newPharmacy(platform);
  const second = await platform.person(organization.orgId, 'pharmacist');
  await withoutUndo(second);
  await withRules(platform, organization, { four_eyes: 'all' });
  // A prescription that was used before: the approval asks for a reason.
  const used = { prescription_pdf_base64: prescriptionFor('Anna Anders').toString('base64') };
  await submitWith(organization, 'Zoe Zander', used);
  const id = await submitWith(organization, 'Anna Anders', used);
  const review = await ReviewScreen.openedBy(await openScreen(), second, `?id=${id}`);
  const { page } = review;
  await review.untilArmed('Anna Anders');
  await review.press('e');
  await review.dialog.getByLabel('Ort').fill('Ulm');
  await review.dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await review.press('a');
  await review.dialog.getByRole('textbox').fill('Telefonisch geklärt');

  const correction = { customer_name: 'Anna Andersen', version: 1 };
  expect((await first.org('POST', `/order-requests/${id}/approve`, correction)).status).toBe(202);
  await page.getByText('Inzwischen hat jemand anders freigegeben.').waitFor({ timeout: SOON_MS });
  await review.dialog.getByRole('button', { name: 'Trotzdem freigeben' }).click();
  await review.message(/^Inzwischen hat jemand anders freigegeben\./).waitFor();
  await page.getByText('Ihre Änderungen sind älter als die letzte Freigabe').waitFor();
  await page.getByRole('button', { name: 'Verwerfen' }).click();
  await page
    .getByRole('region', { name: /^Geändert von Anna/ })
    .getByText('Anna Andersen')
    .waitFor();
  const detail = json<object>(await second.org('GET', `/review/requests/${id}`));
  expect(detail).toMatchObject({ status: 'pending', first_approval: { staff_id: first.id } });
});

it('keeps what an approval passed over as codes, which each person reads in their own language', async () => {
  const { organization, pharmacist: first } = await newPharmacy(platform);
  await withoutUndo(first);
  await withRules(platform, organization, { four_eyes: 'all' });
  const used = { prescription_pdf_base64: prescriptionFor('Anna Anders').toString('base64') };
  await submitWith(organization, 'Zoe Zander', used);
  const id = await submitWith(organization, 'Anna Anders', used);
  const one = await ReviewScreen.armed('Anna Anders', await openScreen(), first, `?id=${id}`);
  await one.press('a');
  await one.dialog.getByText('Schon einmal eingereicht').waitFor();
  await one.dialog.getByRole('textbox').fill('Praxis');
  await one.dialog.getByRole('button', { name: 'Trotzdem freigeben' }).click();
  await one.message('Anna Anders: wartet auf den zweiten Blick einer anderen Person.').waitFor();
  expect(json(await first.org('GET', `/review/requests/${id}`))).toMatchObject({
    first_approval: { override: { acknowledged: ['["hint","used",{"times":1}]'], reason: 'Praxis' } },
  });
  for (const [language, sentence] of [
    ['de', 'Trotzdem freigegeben: Schon einmal eingereicht – Praxis'],
    ['en', 'Approved anyway: Submitted once before – Praxis'],
  ] as const) {
    const second = await platform.person(organization.orgId, 'pharmacist');
    await second.call('PUT', '/api/me', { language });
    const { page, screen } = await ReviewScreen.openedBy(
      await openScreen(),
      second,
      `?tab=second_look&id=${id}`,
    );
    await page.getByText(sentence).waitFor();
    await screen.keepScreenshot(`second-look-overridden-${language}`);
  }
});

it("lists today's approvals for a second person to tick off, with name and time, and to print", async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const colleague = await platform.person(organization.orgId, 'pharmacist');
  for (const customer of ['Anna Anders', 'Bodo Beck']) {
    const id = await submitRight(organization, customer);
    const answer = await pharmacist.org('POST', `/order-requests/${id}/approve`, { version: 1 });
    expect(answer.status).toBe(200);
  }
  const { screen, printed } = await withPrinter(await openScreen());
  const review = await ReviewScreen.openedBy(screen, colleague, '?tab=decided');
  const { page } = review;
  await review.row('Anna Anders').waitFor();
  await page.getByRole('link', { name: 'Tageskontrolle' }).click();
  await page.getByRole('heading', { level: 1, name: 'Tageskontrolle' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Anna Anders' });
  await row.getByText('2 × Salbe').waitFor();
  expect(await row.getByRole('cell').nth(4).innerText()).toMatch(/^Anna /);
  await page.getByText('0 von 2 abgehakt').waitFor();
  await page.getByText('Häkchen bleiben 30 Tage gespeichert').waitFor();
  await page.getByRole('checkbox', { name: 'Anna Anders geprüft' }).check();
  await page.getByText('1 von 2 abgehakt').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await screen.keepScreenshot('day');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await screen.keepScreenshot('day-390-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await screen.keepPaper('day');
  await review.press('p');
  await eventually('one print job', () => Promise.resolve(printed() === 1));
  await review.press('Escape');
  await review.row('Anna Anders').waitFor();
  await page.goBack();
  await page.getByText('1 von 2 abgehakt').waitFor();
  await page.reload();
  await page.getByText('1 von 2 abgehakt').waitFor();
  expect(await row.getByRole('cell').first().innerText()).toMatch(/^Anna .*, \d\d\.\d\d\.\d{4}/);
});
