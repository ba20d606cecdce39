import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/order-request';
import { TestPlatform } from '@offizin/testkit/platform';
import { newPharmacy, type Pharmacy, ReviewScreen, submitRight } from './review-screen';

/** A mark says what a person has checked with own eyes: it needs the prescription, and belongs to its version. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

async function marksOf({ pharmacist }: Pharmacy, id: string): Promise<boolean[]> {
  const answer = await pharmacist.org('GET', `/review/requests/${id}`);
  const { marks } = json<{ marks: Record<string, boolean> }>(answer);
  return ['signature_seen', 'prescriber_checked', 'dose_plausible'].map((name) => marks[name] === true);
}

it('is not set by a key before the prescription was on the screen', async () => {
  const pharmacy = await newPharmacy(platform);
  const id = await submitRight(pharmacy.organization, 'Anna Anders');
  const review = await ReviewScreen.openedBy(
    await openScreen({ width: 820 }),
    pharmacy.pharmacist,
    `?id=${id}`,
  );
  let saved = 0;
  review.page.on('response', (response) => {
    if (response.url().endsWith('/marks') && response.status() === 200) saved++;
  });
  await review.page.getByText('Sehen Sie zuerst das Rezept an.').waitFor();
  await review.press('1', 'd');
  await review.untilArmed('Anna Anders');
  await review.press('2', '3', 'd');
  // Far below what is seen at first: the key brings the marks into the window.
  await review.page.setViewportSize({ width: 820, height: 480 });
  await review.press('3', '3');
  const box = review.page.getByRole('checkbox', { name: 'Menge und Dosis plausibel' });
  await eventually('the marks to be within the window', async () => {
    const place = await box.boundingBox();
    return place !== null && place.y > 0 && place.y < 400;
  });
  await eventually('each later key to be stored', () => saved === 4);
  expect(await marksOf(pharmacy, id)).toEqual([false, true, true]);
});

it('is not put on a version that the partner has sent meanwhile', async () => {
  const pharmacy = await newPharmacy(platform);
  const { organization, pharmacist } = pharmacy;
  const reference = { external_reference: 'marks-1' };
  const id = await organization.submit(orderRequest({ customer_name: 'Anna Anders' }, reference));
  await pharmacist.org('POST', `/order-requests/${id}/request-clarification`, { question: 'Wo?' });
  const review = await ReviewScreen.openedBy(await openScreen(), pharmacist, `?id=${id}`);
  const box = review.page.getByRole('checkbox', { name: 'Unterschrift gesehen' });
  await review.page.getByRole('button', { name: /^Ablehnen/, disabled: false }).waitFor();
  review.screen.faults.expect(/status of 409 .*\/marks:/);
  const held = await review.holdCalls(new RegExp(`/review/requests/${id}$`));
  await organization.submit(orderRequest({ customer_name: 'Anna Anders', address_city: 'Ulm' }, reference));
  await review.press('1');
  await review.page.getByText('Nicht gespeichert: Der Partner hat').waitFor();
  held.release();
  await eventually('the box to be as it is on the server', async () => !(await box.isChecked()));
  expect(await marksOf(pharmacy, id)).toEqual([false, false, false]);
});
