import { useScreens } from '@offizin/testkit/browser/screen';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { holdFor, newPharmacy, ReviewScreen, statusOf, submitRight, untilStatus } from './review-screen';

/** A decision in its undo time: what else can happen to the request, and where the person can go meanwhile. */
const openScreen = useScreens();
const platform = usePlatform();

/** The request list of a pharmacist who has just approved Anna Anders; Bodo Beck is next. */
async function approvedAnna() {
  const { organization, pharmacist } = await newPharmacy(platform);
  await holdFor(pharmacist, 10);
  const [anna, bodo] = [
    await submitRight(organization, 'Anna Anders'),
    await submitRight(organization, 'Bodo Beck'),
  ];
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.press('a');
  await review.page.getByRole('heading', { level: 1, name: 'Bodo Beck' }).waitFor();
  return { organization, pharmacist, anna, bodo, review };
}

it('takes no second decision about a request: it states what is held, and offers to undo that', async () => {
  const { organization, anna, review } = await approvedAnna();
  await review.page.goBack();
  await review.page.getByRole('heading', { level: 1, name: 'Anna Anders' }).waitFor();
  const bar = review.page.getByRole('group', { name: 'Entscheiden' });
  await bar.getByText('Ihre Freigabe wird gleich gesendet.').waitFor();
  await review.press('r', 'q', 'a');
  expect(await review.dialog.count()).toBe(0);
  expect(await bar.getByRole('button').allInnerTexts()).toEqual([expect.stringContaining('Rückgängig')]);
  await review.screen.keepScreenshot('decision-held');
  await bar.getByRole('button', { name: 'Rückgängig' }).click();
  await review.untilArmed('Anna Anders');
  await review.reject(9);
  await untilStatus(organization, anna, 'rejected', 15_000);
});

it('can be undone from every page, which leads back to the request', async () => {
  const { organization, anna, bodo, review } = await approvedAnna();
  await review.press('g', 'o');
  await review.page
    .getByRole('grid', { name: 'Aufträge' })
    .or(review.page.getByText('Noch keine Auf'))
    .waitFor();
  await review.message('Anna Anders: wird freigegeben').waitFor();
  await review.press('z');
  await review.untilArmed('Anna Anders');
  await review.press('j');
  await review.untilArmed('Bodo Beck');
  await review.press('a');
  await review.message('Bodo Beck: wird freigegeben').waitFor();
  // Held later than the first one was: when this is sent, that would have been.
  await untilStatus(organization, bodo, 'approved', 15_000);
  expect(await statusOf(organization, anna)).toBe('pending');
});

it('is sent before the person signs out, and the next person sees nothing of it', async () => {
  const { organization, anna, review } = await approvedAnna();
  const other = await platform.person(organization.orgId, 'pharmacist');
  review.screen.faults.expect(/status of 401 /);
  await review.page.getByRole('button', { name: /Apotheker/ }).click();
  await review.page.getByRole('menuitem', { name: 'Abmelden' }).click();
  await review.page.getByLabel('E-Mail').fill(other.email);
  expect(await statusOf(organization, anna)).toBe('approved');
  await review.page.getByLabel('Passwort').fill(other.password);
  await review.page.getByRole('button', { name: 'Anmelden' }).click();
  await review.untilArmed('Bodo Beck');
  expect(await review.page.getByText('Anna Anders').count()).toBe(0);
});

it('keeps the person signed in who must still see that it was refused', async () => {
  const { organization, pharmacist, anna, review } = await approvedAnna();
  review.screen.faults.expect(/status of 409 .*\/approve:/);
  const rejected = await organization.api('POST', `/order-requests/${anna}/reject`, { reason: 'other' });
  expect(rejected.status).toBe(200);
  await review.page.getByRole('button', { name: /Apotheker/ }).click();
  await review.page.getByRole('menuitem', { name: 'Abmelden' }).click();
  await review.message(/Sie sind noch angemeldet/).waitFor();
  await review.message(/^Anna Anders: .* abgelehnt\.$/).waitFor();
  expect((await pharmacist.call('GET', '/api/session')).status).toBe(200);
});

it('is refused when the partner has sent another version since; the message leads to what has changed', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  await holdFor(pharmacist, 10);
  const reference = { external_reference: 'rejected-unseen' };
  const sent = orderRequest({ customer_name: 'Anna Anders', address_city: 'Bonn' }, reference);
  const anna = await organization.submit(sent);
  await submitRight(organization, 'Bodo Beck');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist);
  await review.reject(9);
  await review.message('Anna Anders: wird abgelehnt').waitFor();
  const question = { question: 'Welche Adresse gilt?' };
  await pharmacist.org('POST', `/order-requests/${anna}/request-clarification`, question);
  await organization.submit(orderRequest({ customer_name: 'Anna Anders', address_city: 'Ulm' }, reference));
  review.screen.faults.expect(/status of 409 .*\/reject:/);
  await review
    .message(/^Anna Anders: nicht entschieden\. Der Partner hat .*Version 2/)
    .waitFor({ timeout: 15_000 });
  expect(await statusOf(organization, anna)).toBe('pending');

  await review.page.getByRole('button', { name: 'Ansehen' }).click();
  await review.untilArmed('Anna Anders');
  const versions = review.page
    .locator('section')
    .filter({ has: review.page.getByRole('heading', { name: 'Versionen' }) })
    .last();
  await versions.getByText('Rückfrage: Welche Adresse gilt?').waitFor();
  expect(await versions.getByRole('deletion').allInnerTexts()).toEqual(['Bonn']);
  expect(await versions.getByRole('insertion').allInnerTexts()).toEqual(['Ulm']);
});

it('is refused when the sender has withdrawn the request; message and request say so', async () => {
  const { organization, anna, review } = await approvedAnna();
  review.screen.faults.expect(/status of 409 .*\/approve:/);
  const withdrawal = { reason: 'customer_request', message: 'Doppelt bestellt' };
  expect((await organization.connector({ tail: `/${anna}/cancel`, body: withdrawal })).status).toBe(200);
  await review
    .message(/^Anna Anders: Vom Absender \(.+\) um \d\d:\d\d zurückgezogen\.$/)
    .waitFor({ timeout: 15_000 });
  expect(await statusOf(organization, anna)).toBe('cancelled');
  await review.page.goBack();
  await review.page.getByText('Vom Absender zurückgezogen.').waitFor();
  await review.page.getByText('Wunsch der Kundin oder des Kunden Doppelt bestellt').waitFor();
});

it('states when a question could not be taken back', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const anna = await submitRight(organization, 'Anna Anders');
  await pharmacist.org('POST', `/order-requests/${anna}/request-clarification`, { question: 'Wie viel?' });
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist, `?tab=asked&id=${anna}`);
  const withdraw = review.page.getByRole('button', { name: /^Zurücknehmen/ });
  await withdraw.and(review.page.locator(':enabled')).waitFor();
  const release = await review.holdCalls(/withdraw-clarification/);
  await review.press('w');
  await release.untilAsked;
  await organization.api('POST', `/order-requests/${anna}/reject`, { reason: 'other' });
  review.screen.faults.expect(/status of 409 .*\/withdraw-clarification:/);
  release.release();
  await review.message(/^Anna Anders: .+ abgelehnt\.$/).waitFor();
});
