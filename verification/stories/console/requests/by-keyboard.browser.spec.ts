import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { paperPdf, privateForm } from '@offizin/testkit/papers';
import { usePlatform } from '@offizin/testkit/platform';
import {
  newPharmacy,
  ReviewScreen,
  submitRight,
  submitWith,
  today,
  untilStatus,
  withoutUndo,
  withRules,
} from './review-screen';

/** A pharmacist's whole work on requests without a pointer, and how many keys it takes. */
const openScreen = useScreens();
const platform = usePlatform();

it('is done by keyboard alone: sign in, look, ask, approve, reject', async () => {
  const organization = await platform.organization();
  const { person: pharmacist, url } = await platform.invite(organization.orgId, 'pharmacist');
  const asked = await submitRight(organization, 'Anna Anders');
  const approved = await submitRight(organization, 'Bodo Beck');
  const rejected = await submitRight(organization, 'Carla Conrad');
  const screen = await openScreen();
  await screen.page.goto(url);
  await screen.page.getByLabel('Neues Passwort').focus();
  await screen.page.keyboard.type(pharmacist.password);
  await screen.press('Enter');
  const review = new ReviewScreen(screen);

  await review.untilArmed('Anna Anders');
  await review.press('q');
  await review.dialog.waitFor();
  await screen.page.keyboard.type('Bitte senden Sie die zweite Seite.');
  await review.press('Control+Enter');
  await review.untilArmed('Bodo Beck');
  await review.press('a');
  await review.untilArmed('Carla Conrad');
  await review.press('r');
  await review.dialog.waitFor();
  await review.press('3', 'Enter');
  await untilStatus(organization, asked, 'needs_clarification');
  await untilStatus(organization, approved, 'approved');
  await untilStatus(organization, rejected, 'rejected');
  await review.page.getByText('Alles entschieden').waitFor();
});

/** To a usual private prescription; with the marks asked of every request. */
const PRESSES = 7;

it(`takes ${PRESSES} key presses to open a request, see its pieces, set the marks and approve`, async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Bodo Beck');
  await withoutUndo(pharmacist);
  await withRules(platform, organization, { marks_only_for_thc: false });
  const lines = ['Ramipril 5 mg Tabletten 100 St', 'Bisoprolol 2,5 mg Tabletten 50 St'];
  const drawn = privateForm({ lines, issued: today() });
  const id = await submitWith(organization, 'Anna Berger', {
    prescription_pdf_base64: paperPdf({ drawn }).toString('base64'),
    items: lines.map((line) => ({ name: line.replace(/ \d+ St$/, ''), quantity: 1, price: 12.5 })),
  });
  const review = await ReviewScreen.armed('Bodo Beck', await openScreen(), pharmacist);
  const pressed: string[] = [];
  const press = async (...keys: string[]): Promise<void> => {
    pressed.push(...keys);
    await review.press(...keys);
  };
  await press('j');
  const pieces = review.page.locator('figure[data-seen]');
  await pieces.filter({ hasText: 'Verordner und Unterschrift' }).waitFor();
  while ((await review.page.locator('figure[data-seen=false]').count()) > 0) {
    await eventually('what is in the window to be seen', () => review.page.evaluate(hasSeenAll));
    if ((await review.page.locator('figure[data-seen=false]').count()) > 0) await press('PageDown');
  }
  await review.untilArmed('Anna Berger');
  await press('1', '2', '3', '4', 'a');
  await untilStatus(organization, id, 'approved');
  expect(pressed).toHaveLength(PRESSES);
});

/** In the page; this file is compiled without the browser's types. */
interface OnPage {
  getBoundingClientRect: () => { top: number; bottom: number };
}
declare const document: {
  querySelector: (selector: string) => OnPage;
  querySelectorAll: (selector: string) => Iterable<OnPage>;
};

/** Of the pieces of which half is in the review's window. */
function hasSeenAll(): boolean {
  const view = document
    .querySelector('[role=region][aria-label="Angaben zur Anfrage"]')
    .getBoundingClientRect();
  return Array.from(document.querySelectorAll('figure[data-seen=false] button')).every((piece) => {
    const { top, bottom } = piece.getBoundingClientRect();
    const shown = Math.min(bottom, view.bottom) - Math.max(top, view.top);
    return shown < (bottom - top) / 2;
  });
}
