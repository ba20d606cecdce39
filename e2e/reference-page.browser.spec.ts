import { sidewaysScroll } from '@offizin/testkit/browser/page-checks';
import { useScreens, WIDTHS } from '@offizin/testkit/browser/screen';

/** Somebody reads the API reference in a real browser. */
const openScreen = useScreens();

it.each(WIDTHS)('shows the operations under its own policy, %d px wide', async (width) => {
  const { page } = await openScreen({ width });
  await page.goto('/docs');
  await page.locator('.opblock').first().waitFor();
  expect(await page.locator('.opblock').count()).toBeGreaterThan(20);
  expect(await sidewaysScroll(page)).toEqual([]);
  await page.locator('.opblock-summary-control').first().click();
  await page.getByText('Parameters').first().waitFor();
});
