import { coveredControls } from '@offizin/testkit/browser/page-checks';
import { useScreens } from '@offizin/testkit/browser/screen';
import { Wedge } from '@offizin/testkit/browser/wedge';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import {
  newPharmacy,
  type Pharmacy,
  ReviewScreen,
  statusOf,
  submitRight,
  submitWith,
  untilStatus,
  withoutUndo,
} from './review-screen';

const openScreen = useScreens();
const platform = usePlatform();

/** The parts of the browser's types that the press below needs; it runs in the page. */
declare const document: {
  readonly body: { dispatchEvent: (event: object) => boolean };
  readonly querySelector: (selector: string) => { readonly textContent: string } | null;
};
declare const KeyboardEvent: new (type: string, init: { key: string; code: string; bubbles: true }) => object;
declare const requestAnimationFrame: (run: () => void) => number;

/** In the page: presses `a` in each frame of the first half second in which the request is on the screen. */
function pressInEachFrame(customer: string): Promise<void> {
  return new Promise((resolve) => {
    let shownAt: number | null = null;
    const frame = (): void => {
      if (document.querySelector('section[aria-label=Prüfung] h1')?.textContent === customer)
        shownAt ??= performance.now();
      if (shownAt !== null && performance.now() - shownAt > 500) {
        resolve();
        return;
      }
      if (shownAt !== null)
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', code: 'KeyA', bubbles: true }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** A decision needs review and document of its request to have been on the screen, long enough to look at them. */
describe('a decision', () => {
  const LONG_NAME = 'Bodo-Balthasar Maximilian Freiherr von Hohenstein-Wernigerode';

  it('needs both panes of each request on a screen that has room for one', async () => {
    const { organization, pharmacist } = await newPharmacy(platform);
    await withoutUndo(pharmacist);
    const anna = await submitRight(organization, 'Anna Anders');
    const bodo = await submitRight(organization, LONG_NAME);
    const review = await ReviewScreen.openedBy(
      await openScreen({ width: 820 }),
      pharmacist,
      `?id=${anna}&pane=document`,
    );
    const bar = review.page.getByRole('group', { name: 'Entscheiden' });
    await bar.getByText('Sehen Sie zuerst die Angaben an.').waitFor();
    await review.press('a');
    await review.press('d');
    await review.untilArmed('Anna Anders');
    expect(await statusOf(organization, anna)).toBe('pending');
    await review.press('d');
    await review.page.locator('[data-page] canvas').first().waitFor();
    await review.press('a');
    await untilStatus(organization, anna, 'approved');
    // The next request begins with its review again.
    await bar.getByText('Sehen Sie zuerst das Rezept an.').waitFor();
    expect(new URL(review.page.url()).searchParams.get('pane')).toBeNull();
    await review.untilPiecesSeen();
    await review.press('a', 'd');
    await review.untilArmed(LONG_NAME);
    expect(await statusOf(organization, bodo)).toBe('pending');
    // The document takes no more than its place, also below a name of three lines on a telephone.
    for (const width of [820, 390]) {
      await review.page.setViewportSize({ width, height: 844 });
      expect([width, await coveredControls(review.page)]).toEqual([width, []]);
      await review.screen.keepScreenshot(`document-pane-${width}`);
    }
  });

  it('needs every line to have been within the window, also below a name that fills a telephone', async () => {
    const { organization, pharmacist } = await newPharmacy(platform);
    await withoutUndo(pharmacist);
    const items = Array.from({ length: 12 }, (_, index) => ({
      // The first has a name that shows nothing.
      name: index === 0 ? '\u200b' : `Salbe ${index}`,
      quantity: 1,
      price: 1,
    }));
    const many = await submitWith(organization, 'W'.repeat(255), { items });
    const screen = await openScreen({ width: 390 });
    const review = await ReviewScreen.openedBy(screen, pharmacist, `?id=${many}`);
    const reason = review.page.getByRole('group', { name: 'Entscheiden' }).getByText('alle Positionen');
    await reason.waitFor();
    await review.page.getByText('Ohne Bezeichnung').waitFor();
    expect(await review.approve.isEnabled()).toBe(false);
    const region = review.page.getByRole('region', { name: 'Angaben zur Anfrage' });
    expect((await region.boundingBox())?.height).toBeGreaterThan(300);
    await screen.keepScreenshot('long-name-390');
    await review.page.setViewportSize({ width: 1280, height: 800 });
    await reason.waitFor();
    await review.press('PageDown');
    await review.approve.and(review.page.locator(':enabled')).waitFor();
  });

  it('decides nothing about a request by a key that is pressed again before anybody can have read it', async () => {
    const { organization, pharmacist } = await newPharmacy(platform);
    await withoutUndo(pharmacist);
    const anna = await submitRight(organization, 'Anna Anders');
    const bodo = await submitRight(organization, 'Bodo Beck');
    await submitRight(organization, 'Carla Conrad');
    const review = await ReviewScreen.openedBy(await openScreen(), pharmacist);
    const ahead = review.page.waitForResponse(new RegExp(`${bodo}/prescription\\.pdf`));
    await review.untilArmed('Anna Anders');
    await ahead;
    const pressed = review.page.evaluate(pressInEachFrame, 'Bodo Beck');
    await review.press('a');
    await pressed;
    await review.untilArmed('Bodo Beck');
    await untilStatus(organization, anna, 'approved');
    expect(await statusOf(organization, bodo)).toBe('pending');
  });
});

/** A mark says what a person has checked with own eyes: it needs the prescription, and belongs to its version. */
describe('a mark', () => {
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
    // Its pieces are in the other pane, where they were drawn before or are now.
    const unseen = review.page.getByText('Sehen Sie zuerst alle Ausschnitte des Rezepts an.');
    await review.approve.and(review.page.locator(':enabled')).or(unseen).first().waitFor();
    await review.press('d');
    await review.untilArmed('Anna Anders');
    await review.press('2', '3');
    // The marks are below the window: the key scrolls to them.
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

  it('is put by a person, and not by the scan of a pack', async () => {
    const pharmacy = await newPharmacy(platform);
    const id = await submitRight(pharmacy.organization, 'Anna Anders');
    const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacy.pharmacist);
    const wedge = await Wedge.of(review.page);
    for (const code of ['-03752864', '12345678', '4006381333931'])
      for (const gapMs of [2, 20]) await wedge.scan(code, { gapMs });
    await review.press('2');
    await eventually('the mark of the person', async () => (await marksOf(pharmacy, id))[1] === true);
    expect(await marksOf(pharmacy, id)).toEqual([false, true, false]);
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
});
