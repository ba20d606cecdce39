import { answerSentences } from '@offizin/contracts/requests/answer-sentences';
import type { OrderRequestProgress } from '@offizin/contracts/requests/order-requests';
import { useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import {
  newPharmacy,
  prescriptionFor,
  ReviewScreen,
  statusOf,
  submitRight,
  submitWith,
  untilStatus,
  withoutUndo,
} from './review-screen';

/** A pharmacist corrects a request before approving it. */
const openScreen = useScreens();
const platform = usePlatform();

interface Approved {
  order_id: string;
  corrections: { sent: Record<string, unknown>; approved: Record<string, unknown> };
}

const changes = (review: ReviewScreen) => review.page.getByRole('region', { name: 'Von Ihnen geändert' });

const ointment = ({ dialog }: ReviewScreen) => dialog.getByRole('group', { name: 'Salbe' });

async function apply({ dialog }: ReviewScreen): Promise<void> {
  await dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

it('approves what was corrected; an undo brings the corrections back', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const id = await submitRight(organization, 'Anna Anders');
  await submitRight(organization, 'Bodo Beck');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('e');
  await review.dialog.locator('input:focus').waitFor();
  await review.page.keyboard.type('15');
  await ointment(review).getByLabel('Einzelpreis').fill('4,20');
  await review.dialog.getByLabel('Ort').fill('Bad Homburg');
  await review.screen.keepScreenshot('edit-dialog');
  // Beside the prescription, which stays readable.
  const paper = review.page.getByRole('region', { name: 'Rezept', exact: true });
  const [panel, page] = [await review.dialog.boundingBox(), await paper.boundingBox()];
  expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBeLessThanOrEqual(page?.x ?? 0);
  await review.press('Control+Enter');
  await changes(review).getByText('2 × Salbe (3,50 €)').waitFor();
  await changes(review).getByText('15 × Salbe (4,20 €)').waitFor();
  const lines = 'Position 1: Menge 15 statt 2. Position 1: Preis 4,20 EUR statt 3,50 EUR.';
  await changes(review).getByText(`${lines} Die Lieferung wurde geändert.`, { exact: true }).waitFor();
  // The check is made on what would be approved: the prescription says 2.
  await review.page.getByText('Salbe: auf dem Rezept steht eine andere Menge').waitFor();
  await review.screen.keepScreenshot('edited-review');

  const asked = review.page.waitForEvent('dialog');
  const left = review.page.reload({ timeout: 1_000 }).catch(() => null);
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await left;
  // A look at another request loses nothing, and no more does a decision that is taken back.
  await review.press('j');
  await review.untilArmed('Bodo Beck');
  expect(await changes(review).count()).toBe(0);
  await review.press('k');
  await changes(review).getByText('Bad Homburg').waitFor();
  // The corrections are above the lines, which have moved out of the window.
  await review.press('PageDown');
  await review.untilArmed('Anna Anders');
  await review.press('a');
  await review.message('Anna Anders: wird freigegeben').waitFor();
  await review.press('z');
  await changes(review).getByRole('button', { name: 'Ort zurücksetzen' }).click();
  await review.press('PageDown');
  await review.untilArmed('Anna Anders');
  await changes(review).getByText('Bad Homburg').waitFor({ state: 'detached' });
  await changes(review).getByText(lines, { exact: true }).waitFor();
  await review.press('a');
  await untilStatus(organization, id, 'approved', 15_000);
  const { corrections } = json<Approved>(await organization.api('GET', `/order-requests/${id}`));
  const read = await organization.connector({ method: 'GET', tail: `/${id}` });
  const { answer, message } = json<OrderRequestProgress>(read);
  // Exactly what the pharmacist has read.
  expect(answerSentences(answer?.changes ?? [], 'de').join(' ')).toBe(lines);
  expect(message).toContain(answerSentences(answer?.changes ?? [], 'en').join(' '));
  expect(corrections.approved).toEqual({
    items: [{ name: 'Salbe', p1_id: null, quantity: 15, price: 4.2 }],
    total_amount: 63,
  });
});

it('sends the corrections also when a red check is overridden', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const id = await submitWith(organization, 'Ohne Rezept', {});
  const review = await ReviewScreen.armed('Ohne Rezept', await openScreen(), pharmacist);
  await review.press('e');
  await review.dialog.getByLabel('Name').fill('Mit Namen');
  await apply(review);
  await review.page.getByRole('heading', { name: 'Mit Namen' }).waitFor();
  await review.press('a');
  await review.dialog.getByText('Trotzdem freigeben: Mit Namen').waitFor();
  await review.page.keyboard.type('Rezept liegt vor');
  await review.dialog.getByRole('button', { name: 'Trotzdem freigeben' }).click();
  await untilStatus(organization, id, 'approved');
  const { corrections } = json<Approved>(await organization.api('GET', `/order-requests/${id}`));
  expect(corrections.approved).toEqual({ customer_name: 'Mit Namen' });
});

it('states at the field what is wrong, also when only the server finds it', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const id = await submitRight(organization, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('e');
  await ointment(review).getByLabel('Menge').fill('1,5');
  await review.dialog.getByLabel('Summe in €').fill('1.234');
  await review.dialog.getByRole('button', { name: 'Übernehmen' }).click();
  await review.dialog.getByText('Eine ganze Zahl von 1 bis 1.000.000.').waitFor();
  await review.dialog.getByText('Ein Betrag wie 1234,50.').waitFor();
  await review.dialog.getByLabel('E-Mail').fill('anna@example..org');
  await ointment(review).getByLabel('Menge').fill('2');
  await review.dialog.getByLabel('Summe in €').fill('7');
  // The click ends the last mistake, too; it must not move the button away.
  await apply(review);
  review.screen.faults.expect(/status of 400 .*\/approve:/);
  await review.press('a');
  await review.message(/^Anna Anders: nicht entschieden\./).waitFor();
  await review.row('Anna Anders').click();
  await changes(review).getByText('must be an e-mail address').waitFor();
  await review.untilArmed('Anna Anders');
  await review.press('e');
  await review.dialog.getByText('must be an e-mail address').waitFor();
  await review.dialog.getByLabel('E-Mail').fill('anna@example.org');
  await apply(review);
  await review.press('a');
  await untilStatus(organization, id, 'approved');
});

it('does not apply corrections of an older version unasked', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const reference = { external_reference: 'stale-edits' };
  const first = orderRequest({ customer_name: 'Anna Anders' }, reference);
  const id = await organization.submit(first);
  await submitRight(organization, 'Bodo Beck');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('e');
  await ointment(review).getByLabel('Menge').fill('5');
  await apply(review);
  await pharmacist.org('POST', `/order-requests/${id}/request-clarification`, { question: 'Wie viel?' });
  await organization.submit(orderRequest({ customer_name: 'Anna Anders', address_city: 'Ulm' }, reference));
  await review.press('j');
  await review.untilArmed('Bodo Beck');
  await review.press('a');
  await review.untilArmed('Anna Anders');
  await changes(review).getByText('Inzwischen gibt es Version 2').waitFor();
  await review.press('a');
  await review.dialog.getByText('Inzwischen gibt es Version 2').waitFor();
  await review.press('Escape');
  await review.dialog.waitFor({ state: 'hidden' });
  await changes(review).getByRole('button', { name: 'Für diese Version übernehmen' }).click();
  await changes(review).getByText('Inzwischen gibt es Version 2').waitFor({ state: 'detached' });
  await changes(review).getByText('5 × Salbe (3,50 €)').waitFor();
  expect(await statusOf(organization, id)).toBe('pending');
});

it('matches a line to a product of the inventory, and adds another one; both leave the stock', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const [cream, oil] = await platform.catalogProducts(2);
  if (cream === undefined || oil === undefined) throw new Error('the catalog has no two products');
  for (const [p1Id, name] of [
    [cream, 'Rosen-Salbe'],
    [oil, 'Arnika-Öl'],
  ] as const) {
    await organization.stock(p1Id, 5);
    await organization.api('PUT', `/products/${p1Id}`, { name, price: 4.5 });
  }
  const id = await submitRight(organization, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('e');
  await ointment(review).getByRole('button', { name: 'Produkt zuordnen: Salbe' }).click();
  await review.dialog.getByRole('menuitem', { name: 'Rosen-Salbe' }).waitFor();
  await review.screen.keepScreenshot('product-picker');
  // By keyboard: down to the only product, and take it.
  await review.press('ArrowDown');
  await review.press('Enter');
  await review.dialog.getByRole('group', { name: 'Rosen-Salbe' }).waitFor();
  await review.dialog.getByRole('button', { name: 'Position hinzufügen' }).click();
  await review.page.keyboard.type('gibt es nicht');
  await review.dialog.getByText('Kein Produkt im Bestand heißt so.').waitFor();
  // Escape closes the search, not the dialog with what was typed.
  await review.press('Escape');
  await review.dialog.getByRole('button', { name: 'Position hinzufügen' }).click();
  await review.page.keyboard.type('öl');
  await review.dialog.getByRole('menuitem', { name: 'Arnika-Öl' }).click();
  await review.dialog.getByRole('group', { name: 'Arnika-Öl' }).getByLabel('Menge').fill('3');
  await review.screen.keepScreenshot('edit-dialog-products');
  await apply(review);
  await changes(review).getByText('3 × Arnika-Öl (4,50 €)').waitFor();
  await review.untilArmed('Anna Anders');
  await review.press('a');
  await review.dialog.getByText('Arnika-Öl: steht nicht auf dem Rezept').waitFor();
  await review.page.keyboard.type('Mit der Praxis besprochen');
  await review.dialog.getByRole('button', { name: 'Trotzdem freigeben' }).click();
  await untilStatus(organization, id, 'approved');
  const { corrections } = json<Approved>(await organization.api('GET', `/order-requests/${id}`));
  expect(corrections.approved).toMatchObject({
    items: [
      { name: 'Rosen-Salbe', p1_id: cream, quantity: 2, price: 3.5 },
      { name: 'Arnika-Öl', p1_id: oil, quantity: 3, price: 4.5 },
    ],
    total_amount: 20.5,
  });
  const { data } = json<{ data: { p1_id: string; reserved_quantity: number }[] }>(
    await organization.api('GET', '/inventory'),
  );
  const reserved = Object.fromEntries(data.map((row) => [row.p1_id, row.reserved_quantity]));
  expect(reserved).toEqual({ [cream]: 2, [oil]: 3 });
});

it('offers no approval without stock, but the lines to correct, and the corrected one is approved', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const [cream = ''] = await platform.catalogProducts(1);
  await organization.stock(cream, 1);
  const items = [{ name: 'Salbe', p1_id: cream, quantity: 2, price: 3.5 }];
  const pdf = prescriptionFor('Anna Anders').toString('base64');
  const id = await submitWith(organization, 'Anna Anders', { items, prescription_pdf_base64: pdf });
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.page.getByText('Bestand reicht nicht', { exact: true }).waitFor();
  await review.press('a');
  const refused = review.page.getByRole('alertdialog');
  await refused.getByText('ist keine Freigabe möglich').waitFor();
  expect(await statusOf(organization, id)).toBe('pending');
  await refused.getByRole('button', { name: 'Bearbeiten' }).click();
  await review.dialog.getByLabel('Menge').fill('1');
  await apply(review);
  await review.page.getByText('Bestand reicht nicht', { exact: true }).waitFor({ state: 'detached' });
  await review.press('a');
  await untilStatus(organization, id, 'approved');
});

/** Takes the edits over, and opens the dialog that offers them. */
async function offer(review: ReviewScreen): Promise<void> {
  await apply(review);
  await review.press('PageDown');
  await review.untilArmed('Anna Anders');
  // Its part is loaded after the lines have changed.
  await review.page.getByRole('button', { name: 'Anbieten' }).click({ trial: true });
  await review.press('p');
  await review.dialog.getByText('1 × Salbe (3,50 €)').waitFor();
}

it('offers what was corrected; accepted it comes back, and is approved with one key', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  // With 4.90 € for the delivery, which no line explains.
  const pdf = prescriptionFor('Anna Anders').toString('base64');
  const payload = { prescription_pdf_base64: pdf, total_amount: 11.9 };
  const id = await submitWith(organization, 'Anna Anders', payload);
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('e');
  await ointment(review).getByLabel('Menge').fill('1');
  await offer(review);
  const total = 'Gesamtbetrag 8,40 EUR statt 11,90 EUR.';
  await review.dialog.getByText(`Der Partner liest: ${total}`).waitFor();
  await review.page.keyboard.type('Nur eine ist da.');
  await review.dialog.getByText('7 Tage').click();
  await review.screen.keepScreenshot('offer-dialog');
  await review.press('Control+Enter');
  await untilStatus(organization, id, 'needs_clarification');
  const read = await organization.connector({ method: 'GET', tail: `/${id}` });
  expect(json<OrderRequestProgress>(read)).toMatchObject({
    question: 'Nur eine ist da.',
    offer: { state: 'open', items: [{ name: 'Salbe', quantity: 1, price: 3.5 }], total_amount: 8.4 },
    message: expect.stringContaining('Total 8.40 EUR instead of 11.90 EUR.'),
  });

  const message = 'Die Patientin nimmt eine.';
  await organization.connector({ tail: `/${id}/offer/accept`, body: { message } });
  await review.row('Anna Anders').getByText('Angebot angenommen').waitFor();
  await review.row('Anna Anders').click();
  await review.page.getByText(message).waitFor();
  await review.screen.keepScreenshot('accepted-offer');
  await review.untilArmed('Anna Anders');
  expect(await changes(review).count()).toBe(0);
  await review.press('a');
  await untilStatus(organization, id, 'approved');
});

it('leaves what an offer does not carry to the decision', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await withoutUndo(pharmacist);
  const id = await submitRight(organization, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('e');
  await ointment(review).getByLabel('Menge').fill('1');
  await review.dialog.getByLabel('Ort').fill('Bad Homburg');
  await offer(review);
  await review.press('Control+Enter');
  await untilStatus(organization, id, 'needs_clarification');
  await organization.connector({ tail: `/${id}/offer/decline`, body: {} });
  await review.row('Anna Anders').getByText('Angebot abgelehnt').waitFor();
  await review.row('Anna Anders').click();
  await changes(review).getByText('Bad Homburg').waitFor();
  expect(await changes(review).getByText('Salbe').count()).toBe(0);

  // The offer was about the first version.
  const notice = review.page.getByText('Angebot abgelehnt:');
  await notice.waitFor();
  const body = orderRequest({ customer_name: 'Anna Anders', address_city: 'Köln' });
  expect((await organization.connector({ method: 'PUT', tail: `/${id}`, body })).status).toBe(200);
  await notice.waitFor({ state: 'detached' });
});
