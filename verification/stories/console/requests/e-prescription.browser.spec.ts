import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { useScreens } from '@offizin/testkit/browser/screen';
import { json } from '@offizin/testkit/http';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitWith } from './review-screen';

const openScreen = useScreens();
const platform = usePlatform();

it('shows the code of an e-prescription on request, and remembers a checked prescriber', async () => {
  const token = { task_id: '160.000.033.491.280.78', access_code: randomBytes(32).toString('hex') };
  const pharmacy = await newPharmacy(platform);
  const id = await submitWith(pharmacy.organization, 'Anna Anders', {
    items: [],
    e_prescription: token,
    prescriber: { name: 'Dr. Ada Arzt', number: '123456601' },
  });
  const review = await ReviewScreen.openedBy(await openScreen({ width: 1920 }), pharmacy.pharmacist);
  const { page } = review;
  await review.untilArmed('Anna Anders');
  expect(await review.row('Anna Anders').getByText('Kein Rezept').count()).toBe(0);
  await page.getByText('E-Rezept ohne Dokument.').waitFor();
  const button = (name: string) => page.getByRole('button', { name });
  await button('Code zum Einlösen zeigen').click();
  const code = page.getByRole('img', { name: 'Data Matrix des E-Rezepts' });
  await code.waitFor();
  await review.screen.keepScreenshot('review-e-prescription');
  const text = JSON.stringify({ urls: [`Task/${token.task_id}/$accept?ac=${token.access_code}`] });
  const { pixx, pixs } = await symbolOf(text);
  expect(await page.evaluate(modulesOf, pixx)).toEqual(pixs);
  expect(await page.content()).not.toContain(token.access_code);
  await button('Code verbergen').click();
  await code.waitFor({ state: 'detached' });
  await button('Code zum Einlösen zeigen').click();
  await code.waitFor();
  const { organization } = pharmacy;
  const log = await organization.api('GET', `/audit-log?action=e-prescription.view&limit=50`);
  expect(json<{ data: { object: string }[] }>(log).data.map(({ object }) => object)).toEqual(
    [id, id].map((each) => `order-request:${each}:version:1`),
  );
  await page.getByText('noch nicht als geprüft vermerkt').waitFor();
  await button('Verordner als geprüft vermerken').click();
  await page.getByText('Verordner geprüft von').waitFor();
  await button('Prüfung zurücknehmen').click();
  await page.getByText('noch nicht als geprüft vermerkt').waitFor();
});

interface Symbol {
  pixs: number[];
  pixx: number;
}

/** The modules that the library makes of the text, row by row: 1 is dark. */
async function symbolOf(text: string): Promise<Symbol> {
  const script = `import bwip from '@bwip-js/browser';
    console.log(JSON.stringify(bwip.raw({ bcid: 'datamatrix', text: process.argv[1] })[0]));`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, text]);
  return JSON.parse(stdout) as Symbol;
}

/** In the page; this file is compiled without the browser's types. */
declare const document: {
  querySelector: (selector: string) => {
    width: number;
    getContext: (kind: '2d') => {
      getImageData: (...area: [number, number, number, number]) => { data: Uint8ClampedArray };
    };
  } | null;
};

/** What is drawn, module by module, without the quiet zone. */
function modulesOf(columns: number): number[] {
  const canvas = document.querySelector('canvas[role="img"]');
  if (!canvas) return [];
  const { width } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, width);
  const isDark = (x: number, y: number) => (data[4 * (y * width + x)] ?? 255) < 128;
  const all = Array.from({ length: width }, (_, at) => at);
  // The left edge of a Data Matrix is dark.
  const left = all.find((x) => all.some((y) => isDark(x, y))) ?? 0;
  const size = (width - 2 * left) / columns;
  return Array.from({ length: columns * columns }, (_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    return Number(isDark(Math.floor(left + (column + 0.5) * size), Math.floor(left + (row + 0.5) * size)));
  });
}
