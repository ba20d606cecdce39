import type { Locator } from 'playwright-core';
import { choose } from '@offizin/testkit/browser/pickers';
import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';
import { hostilePdf, lockedPdf, scannedPdf, textPdf } from '@offizin/testkit/pdf';
import {
  newPharmacy,
  type Pharmacy,
  prescriptionFor,
  ReviewScreen,
  statusOf,
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

it('is missing: the screen reports it, and a decision is still possible', async () => {
  const { review, id } = await openedWith({});
  await review.untilArmed('Anna Anders');
  await documentOf(review).getByText(/kein/i).first().waitFor();
  await review.reject(1);
  await untilStatus(pharmacy.organization, id, 'rejected', 15_000);
});

it('states another strength than the request: the alarm is red, the place is marked, and approving asks why', async () => {
  const items = [{ name: 'Ibuprofen Demo 400 mg', quantity: 3, price: 3.5 }];
  const paper = (strength: string) =>
    textPdf(['Privatrezept für Anna Anders', `Ibuprofen Demo ${strength}`, '3 x täglich']);
  const { review, id } = await openedWith({ ...encoded(paper('800 mg')), items });
  await review.untilArmed('Anna Anders');
  const alarm = 'Ibuprofen Demo 400 mg: auf dem Rezept steht eine andere Stärke';
  await review.page.getByText(alarm).waitFor();
  await documentOf(review).locator('[data-mark]').first().waitFor({ state: 'attached' });
  await review.screen.keepScreenshot('review-other-strength');
  await review.press('a');
  await review.dialog.getByText(alarm).waitFor();
  await review.press('Escape');
  expect(await statusOf(pharmacy.organization, id)).toBe('pending');
  // Right values are shown, and nothing states that they are good.
  const { organization } = pharmacy;
  const right = await submitWith(organization, 'Anna Anders', { ...encoded(paper('400mg')), items });
  await review.page.goto(`/console/requests?id=${right}`);
  await review.page
    .getByRole('img', { name: /Ibuprofen Demo 400mg/ })
    .first()
    .waitFor();
  await review.untilArmed('Anna Anders');
  expect(await review.page.locator('[data-alarm]').count()).toBe(0);
});

it('stands beside every field that the partner sent, unknown ones and metadata, too', async () => {
  const payload = {
    items: [{ name: 'Salbe', quantity: 2, price: 3.5, dosage: '1-0-1' }],
    patient_birth_date: '1980-02-03',
    visit: 'v-7',
  };
  const request = orderRequest(
    { customer_name: 'Anna Anders', ...payload },
    { metadata: { channel: 'App' } },
  );
  await pharmacy.organization.submit(request);
  const review = await ReviewScreen.openedBy(await openScreen({ width: 1920 }), pharmacy.pharmacist);
  for (const text of [
    'Geburtsdatum',
    '03.02.1980',
    'Position 1: Dosierung',
    '1-0-1',
    'visit',
    'v-7',
    'channel',
    'App',
  ])
    await review.page.getByText(text, { exact: true }).waitFor();
});

it('needs a password: the screen reports it, and the file can be saved', async () => {
  const { review } = await openedWith(encoded(lockedPdf()));
  await review.untilArmed('Anna Anders');
  await review.page.getByText('Rezept mit Passwort geschützt').waitFor();
  const saving = review.page.waitForEvent('download');
  await documentOf(review).getByRole('link', { name: 'Als Datei speichern' }).click();
  expect((await saving).suggestedFilename()).toMatch(/^prescription-.*\.pdf$/);
});

it('is a printout of an e-prescription: no signature is asked, unless a person says that it is something else', async () => {
  const paper = textPdf([
    'Ausdruck zur Einlösung Ihres E-Rezeptes',
    'Anna Anders',
    '2 Stück Salbe',
    'Dr. med. Test',
  ]);
  const { review } = await openedWith(encoded(paper));
  await review.untilArmed('Anna Anders');
  await documentOf(review).getByRole('heading', { name: 'Ausdruck eines E-Rezepts' }).waitFor();
  const signature = review.page.getByRole('checkbox', { name: 'Unterschrift gesehen' });
  expect(await signature.count()).toBe(0);
  await choose(review.page, 'Art des Dokuments', 'Privatrezept');
  await signature.waitFor();
  await review.page.reload();
  await signature.waitFor();
});

it('has 50 pages, of which only those near the screen are drawn', async () => {
  const further = Array.from({ length: 49 }, (_, index) => [`Anlage ${index + 2}`]);
  const { review } = await openedWith(encoded(prescriptionFor('Anna Anders', ...further)));
  await documentOf(review).getByText('Seite 1 von 50').waitFor();
  const pages = review.page
    .getByRole('group', { name: 'Entscheiden' })
    .getByText('Sehen Sie zuerst alle Seiten an');
  await pages.waitFor();
  await review.press('a', '1', '5');
  await review.untilArmed('Anna Anders');
  // It is kept, for this person.
  await review.page.reload();
  await review.untilArmed('Anna Anders');
  expect(await review.page.getByRole('checkbox', { name: 'Weitere Seiten nicht nötig' }).isChecked()).toBe(
    true,
  );
  expect(await review.page.getByRole('checkbox', { name: 'Unterschrift gesehen' }).isChecked()).toBe(false);
  const drawn = documentOf(review).locator('[data-page] canvas[width]');
  expect(await drawn.count()).toBeLessThan(10);
  await documentOf(review).locator('[data-page] canvas').nth(29).scrollIntoViewIfNeeded();
  await documentOf(review).getByText('Anlage 30', { exact: true }).first().waitFor();
  expect(await drawn.count()).toBeLessThan(20);
});

it('is a scan: an alarm states that it must be read by eye', async () => {
  const { review } = await openedWith(encoded(scannedPdf()));
  await review.untilArmed('Anna Anders');
  await documentOf(review).locator('canvas').first().waitFor();
  await review.page.getByText('Seite 1 ist ein Bild: selbst lesen').waitFor();
});

it('is hostile: no script of it runs, nothing is sent, and the page stays usable', async () => {
  const requests: string[] = [];
  const screen = await openScreen({ width: 1920 });
  screen.context.on('request', (request) => requests.push(request.url()));
  screen.page.on('dialog', (dialog) => requests.push(`dialog: ${dialog.message()}`));
  await submitWith(pharmacy.organization, 'Anna Anders', encoded(hostilePdf(['Anna Anders'])));
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacy.pharmacist);
  await documentOf(review).locator('canvas').first().waitFor();
  const { origin } = new URL(review.page.url());
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('blob:'))).toEqual([]);
});

it('has several pages: keys and small pages lead to each, found words are marked, the file can be saved', async () => {
  const { review } = await openedWith(encoded(prescriptionFor('Anna Anders', ['Anlage 2'], ['Anlage 3'])));
  const { page } = review;
  await page.getByText('1 von 3 Seiten gesehen').waitFor();
  expect(await review.approve.isEnabled()).toBe(false);
  const inView = (number: number) =>
    eventually(`page ${number} to be in view`, () =>
      page.evaluate((wanted) => {
        const box = document.querySelector(`[data-page="${wanted}"]`)?.getBoundingClientRect();
        return box !== undefined && box.top > 0 && box.bottom <= window.innerHeight;
      }, number),
    );
  await review.press(']');
  await inView(2);
  await page.getByText('2 von 3 Seiten gesehen').waitFor();
  await documentOf(review).getByText('Seite 2 von 3').waitFor();
  await page.getByRole('button', { name: 'Seite 3', exact: true }).click();
  await inView(3);
  await review.untilArmed('Anna Anders');
  await review.press('[', '(');
  await inView(1);
  // Only the document scrolls.
  expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBe(0);
  await documentOf(review).locator('[data-page="1"] [data-mark]').first().waitFor({ state: 'attached' });
  await review.screen.keepScreenshot('review-document-pages');
  const saving = page.waitForEvent('download');
  await review.press('Shift+O');
  expect((await saving).suggestedFilename()).toMatch(/^prescription-.*\.pdf$/);
});

it('is one of several: each is told of, looked at and compared before the request is decided', async () => {
  const items = [{ name: 'Ibuprofen Demo 400 mg', quantity: 3, price: 3.5 }];
  const { review, id } = await openedWith({ ...encoded(prescriptionFor('Anna Anders')), items });
  const { page } = review;
  await review.untilArmed('Anna Anders');
  await page.getByText('Ibuprofen Demo 400 mg: steht nicht auf dem Rezept').waitFor();
  const add = async (kind: string, pdf: Buffer, name?: string) => {
    const body = { kind, pdf_base64: pdf.toString('base64'), name };
    const answer = await pharmacy.organization.connector({ tail: `/${id}/documents`, body });
    expect(answer.status).toBe(201);
  };
  await add(
    'identity',
    textPdf(['Personalausweis']),
    `Vorder\u202eseite ${'eines langen Namens '.repeat(8)}`,
  );
  await page
    .getByText(/Version 2/)
    .first()
    .waitFor();
  await add('prescription', textPdf(['Ibuprofen Demo 400 mg', '3 x täglich', 'Zweites Rezept']));
  const tabs = page.getByRole('group', { name: 'Dokumente' });
  await tabs.getByRole('button', { name: '3 Rezept' }).waitFor();
  // The pieces show what was not looked at yet.
  await page.getByText('Dokument 3, Seite 1').first().waitFor();
  const blocked = page
    .getByRole('group', { name: 'Entscheiden' })
    .getByText('Sehen Sie zuerst jedes Dokument an.');
  await blocked.waitFor();
  await review.press('v');
  const longName = tabs.getByTitle(/Ausweis · Vorderseite eines/);
  expect((await longName.boundingBox())?.width).toBeLessThan(210);
  await page
    .getByRole('region', { name: /^Ausweis · Vorderseite/ })
    .getByText('Personalausweis')
    .waitFor();
  // Again, once this one has been seen.
  await blocked.waitFor();
  await tabs.getByRole('button', { name: '3 Rezept' }).click();
  await documentOf(review).getByText('Zweites Rezept').waitFor();
  await review.untilArmed('Anna Anders');
  await page.getByText(/^Neues Dokument am .*: Rezept$/).waitFor();
  await review.screen.keepScreenshot('review-documents');
  const { organization } = pharmacy;
  await eventually('an entry of each look', async () => {
    const looks = await organization.api(
      'GET',
      `/audit-log?action=prescription.view&object=order-request:${id}`,
    );
    const objects = json<{ data: { object: string }[] }>(looks).data.map(({ object }) => object);
    return (
      objects
        .map((object) => object.slice(object.indexOf(':document:')))
        .sort()
        .join(' ') === SEEN
    );
  });
  await review.reject(1);
  await untilStatus(pharmacy.organization, id, 'rejected', 15_000);
});

const SEEN = ':document:1:version:1 :document:2:version:2 :document:3:version:3';

it('has its text where it is drawn, at every size', async () => {
  const { review } = await openedWith(encoded(prescriptionFor('Anna-Katharina von Hohenstein-Wernigerode')));
  await review.untilArmed('Anna Anders');
  for (const key of ['0', '+', '+']) {
    await review.press(key);
    await eventually('the text to end where its drawing ends', async () => {
      const { drawn, laid } = await review.page.evaluate(rightEdges);
      return drawn > 0 && Math.abs(laid - drawn) < 0.01;
    });
  }
});

it('names its date of issue, which 4 takes into the marks', async () => {
  const { review, id } = await openedWith(encoded(prescriptionFor('Anna Anders')));
  await review.untilArmed('Anna Anders');
  await review.press('4');
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(new Date());
  await eventually('the mark to be kept', async () => {
    const answer = await pharmacy.pharmacist.org('GET', `/review/requests/${id}`);
    return json<{ marks: { issued_on: string | null } }>(answer).marks.issued_on === today;
  });
});

it('could not be fetched: a button asks for it again', async () => {
  const { review, id } = await openedWith({ prescription_pdf_url: 'https://127.0.0.1:9/prescription.pdf' });
  await review.row('Anna Anders').getByText('Rezept nicht geladen').waitFor({ timeout: 20_000 });
  await review.page.reload();
  const asked = review.page.waitForResponse((answer) => answer.url().endsWith(`/${id}/retry-fetch`));
  await documentOf(review).getByRole('button', { name: 'Erneut laden' }).click();
  expect((await asked).status()).toBe(200);
});

it('never finishes: after 20 seconds it is named slow, and approving asks why', async () => {
  await submitWith(pharmacy.organization, 'Anna Anders', encoded(prescriptionFor('Anna Anders')));
  const screen = await openScreen({ width: 1920 });
  // The answer never comes, as over a line that hangs.
  await screen.page.route('**/prescription.pdf?*', () => undefined);
  await screen.page.clock.install();
  const review = await ReviewScreen.openedBy(screen, pharmacy.pharmacist);
  await review.page.getByRole('heading', { name: 'Anna Anders' }).waitFor();
  await documentOf(review).waitFor();
  expect(await review.approve.isEnabled()).toBe(false);
  await screen.page.clock.runFor(21_000);
  await review.untilArmed('Anna Anders');
  await documentOf(review).getByText('Das Rezept lädt langsam.').waitFor();
  await review.press('a');
  await review.dialog.getByText('Trotzdem freigeben: Anna Anders').waitFor();
});

it('is fetched ahead for the next request, and not again when that is opened', async () => {
  const { organization } = pharmacy;
  for (const customer of ['Anna Anders', 'Berta Braun'])
    await submitWith(organization, customer, encoded(prescriptionFor(customer)));
  const screen = await openScreen({ width: 1920 });
  const read: string[] = [];
  screen.page.on('response', (answer) => {
    const { pathname } = new URL(answer.url());
    if (pathname.endsWith('/prescription.pdf')) read.push(pathname);
  });
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacy.pharmacist);
  await eventually('the next document to be fetched', () => read.length === 2);
  await review.press('j');
  await review.untilArmed('Berta Braun');
  await documentOf(review).getByText('Berta Braun').first().waitFor();
  expect(new Set(read).size).toBe(2);
  expect(read).toHaveLength(2);
});

/** In the page; this file is compiled without the browser's types. */
interface PageElement {
  width: number;
  height: number;
  getBoundingClientRect: () => { top: number; bottom: number; left: number; right: number; width: number };
  getContext: (kind: '2d') => {
    getImageData: (...area: [number, number, number, number]) => { data: Uint8ClampedArray };
  };
}
declare const window: { innerHeight: number };
declare const document: {
  documentElement: { scrollHeight: number };
  querySelector: (selector: string) => PageElement | null;
  querySelectorAll: (selector: string) => Iterable<PageElement>;
};

/** Where the longest line of the first page ends, as a part of the page's width: its drawing, and the text over it. */
function rightEdges(): { drawn: number; laid: number } {
  const canvas = document.querySelector('[data-page="1"] canvas');
  const spans = document.querySelectorAll('[data-page="1"] canvas + div span');
  const page = canvas?.getBoundingClientRect();
  if (!canvas || !page) return { drawn: 0, laid: 0 };
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let last = 0;
  for (let at = 0; at < data.length; at += 4)
    if ((data[at] ?? 255) < 128) last = Math.max(last, (at / 4) % canvas.width);
  const ends = [...spans].map((span) => span.getBoundingClientRect().right);
  return { drawn: last / canvas.width, laid: (Math.max(0, ...ends) - page.left) / page.width };
}
