import type { Locator } from 'playwright-core';
import { useScreens } from '@offizin/testkit/browser/screen';
import { TestPlatform } from '@offizin/testkit/platform';
import { hostilePdf, scannedPdf } from '@offizin/testkit/text-pdf';
import {
  newPharmacy,
  type Pharmacy,
  prescriptionFor,
  ReviewScreen,
  submitWith,
  untilStatus,
} from './review-screen';

/** The prescription beside the request, whatever it is. */
const openScreen = useScreens();

let platform: TestPlatform;
let pharmacy: Pharmacy;

beforeEach(async () => {
  pharmacy = await newPharmacy(platform);
});
beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

async function openedWith(payload: Record<string, unknown>): Promise<{ review: ReviewScreen; id: string }> {
  const id = await submitWith(pharmacy.organization, 'Anna Anders', payload);
  const review = await ReviewScreen.openedBy(await openScreen({ width: 1920 }), pharmacy.pharmacist);
  return { review, id };
}

function documentOf({ page }: ReviewScreen): Locator {
  return page.getByRole('region', { name: 'Rezept' }).first();
}

const encoded = (pdf: Buffer): { prescription_pdf_base64: string } => ({
  prescription_pdf_base64: pdf.toString('base64'),
});

it('is read beside the request, and its words are found in it', async () => {
  const { review } = await openedWith(encoded(prescriptionFor('Anna Anders')));
  await review.untilArmed('Anna Anders');
  await documentOf(review).locator('canvas').first().waitFor();
  await documentOf(review).getByText('Anna Anders').first().waitFor();
  await review.screen.keepScreenshot('review-document');
});

it('is missing: the screen says so, and a decision is still possible', async () => {
  const { review, id } = await openedWith({});
  await review.untilArmed('Anna Anders');
  await documentOf(review).getByText(/kein/i).first().waitFor();
  await review.press('r');
  await review.dialog.waitFor();
  await review.press('1');
  await review.dialog.getByRole('button', { name: 'Ablehnen' }).click();
  await untilStatus(pharmacy.organization, id, 'rejected', 15_000);
});

it('could not be fetched: the screen says so', async () => {
  const { review } = await openedWith({ prescription_pdf_url: 'https://127.0.0.1:9/prescription.pdf' });
  await review.row('Anna Anders').getByText('Rezept nicht geladen').waitFor({ timeout: 20_000 });
  await review.page.reload();
  await documentOf(review).getByText('konnte nicht geladen werden').first().waitFor();
});

it('has 50 pages, of which only those near the screen are drawn', async () => {
  const further = Array.from({ length: 49 }, (_, index) => [`Anlage ${index + 2}`]);
  const { review } = await openedWith(encoded(prescriptionFor('Anna Anders', ...further)));
  await review.untilArmed('Anna Anders');
  const drawn = documentOf(review).locator('canvas[width]');
  expect(await drawn.count()).toBeLessThan(10);
  await documentOf(review).locator('canvas').nth(29).scrollIntoViewIfNeeded();
  await documentOf(review).getByText('Anlage 30', { exact: true }).first().waitFor();
  expect(await drawn.count()).toBeLessThan(20);
});

it('is a scan: the checks say that it must be read by eye', async () => {
  const { review } = await openedWith(encoded(scannedPdf()));
  await review.untilArmed('Anna Anders');
  await documentOf(review).locator('canvas').first().waitFor();
  await review.page.getByText(/Scan/).first().waitFor();
});

it('is hostile: no script of it runs, nothing is sent, and the page stays usable', async () => {
  const requests: string[] = [];
  const screen = await openScreen({ width: 1920 });
  screen.context.on('request', (request) => requests.push(request.url()));
  screen.page.on('dialog', (dialog) => requests.push(`dialog: ${dialog.message()}`));
  await submitWith(pharmacy.organization, 'Anna Anders', encoded(hostilePdf(['Anna Anders'])));
  const review = await ReviewScreen.openedBy(screen, pharmacy.pharmacist);
  await review.untilArmed('Anna Anders');
  await documentOf(review).locator('canvas').first().waitFor();
  const { origin } = new URL(review.page.url());
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('blob:'))).toEqual([]);
});

it("is somebody else's: the name is amber; used before: red, and approving asks why", async () => {
  const { organization } = pharmacy;
  const foreign = encoded(prescriptionFor('Zoe Zander'));
  await submitWith(organization, 'Zoe Zander', foreign);
  const id = await submitWith(organization, 'Anna Anders', foreign);
  const screen = await openScreen({ width: 1920 });
  const review = await ReviewScreen.openedBy(screen, pharmacy.pharmacist, `?id=${id}`);
  await review.untilArmed('Anna Anders');
  await review.row('Anna Anders').getByText('Früher eingereicht').waitFor();
  await review.page
    .getByText(/Name.*nicht/)
    .first()
    .waitFor();
  await screen.keepScreenshot('review-wrong-prescription');
  await review.press('a');
  await review.dialog.getByText('Trotzdem freigeben: Anna Anders').waitFor();
});
