import { sidewaysScroll } from '@offizin/testkit/browser/page-checks';
import { useScreens } from '@offizin/testkit/browser/screen';
import { TestPlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitRight } from './review-screen';

/** A window of 1280 × 720 at 200 and 400 per cent: little is left, and all of it can be used. */
const openScreen = useScreens();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

async function opened(width: number, height: number) {
  const { organization, pharmacist } = await newPharmacy(platform);
  await submitRight(organization, 'Anna-Katharina von Hohenstein-Wernigerode');
  const screen = await openScreen();
  await screen.page.setViewportSize({ width, height });
  const review = await ReviewScreen.openedBy(screen, pharmacist);
  await review.row('Anna-Katharina').click();
  const region = screen.page.getByRole('region', { name: 'Angaben zur Anfrage' });
  await region.getByText('Technische Hinweise.').waitFor();
  // All of it is in one scroller, and none of it in a slit.
  expect((await region.boundingBox())?.height).toBeGreaterThan(500);
  expect(await sidewaysScroll(screen.page)).toEqual([]);
  return { page: screen.page, review };
}

it('reviews and decides at 200 %', async () => {
  const { page, review } = await opened(640, 360);
  await page.getByText('Sehen Sie zuerst alle Positionen an.').waitFor();
  await page.getByText('Summe').scrollIntoViewIfNeeded();
  await page.getByText('Sehen Sie zuerst das Rezept an.').waitFor();
  await page.getByRole('button', { name: 'Rezept', exact: true }).click();
  await page.getByText('Privatrezept').first().waitFor();
  expect(await sidewaysScroll(page)).toEqual([]);
  await review.approve.click();
  await review.message(/wird freigegeben/).waitFor();
});

it('has the whole review at 400 %, without sideways scrolling', async () => {
  const { page } = await opened(320, 180);
  await page.getByText('Summe').scrollIntoViewIfNeeded();
  await page.getByText('Technische Hinweise.').scrollIntoViewIfNeeded();
  // Why nothing can be decided: the document is not drawn before it is shown.
  await page.getByText('Sehen Sie zuerst das Rezept an.').waitFor();
  expect(await sidewaysScroll(page)).toEqual([]);
});
