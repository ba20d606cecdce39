import { useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { newPharmacy, ReviewScreen, submitRight, untilStatus, withoutUndo } from './requests/review-screen';

/** What colleagues and partners do reaches the screen by itself, and moves nothing that is being read. */
const openScreen = useScreens();
/** Less than the 30 s after which a screen without the stream asks again: other programs run on the same cores. */
const SOON_MS = 20_000;

const platform = usePlatform();

async function twoScreens(organization: TestOrganization) {
  const people = [
    await platform.person(organization.orgId, 'pharmacist'),
    await platform.person(organization.orgId, 'pharmacist'),
  ] as const;
  return {
    people,
    one: await ReviewScreen.openedBy(await openScreen(), people[0]),
    other: await ReviewScreen.openedBy(await openScreen(), people[1]),
  };
}

/** The name of every colleague in the tests begins with Anna. */
function face({ page }: ReviewScreen) {
  return page.getByRole('img', { name: /^Gerade geöffnet bei Anna / });
}

it('keeps new requests above what is read in a pill, until a key asks for them', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const review = await ReviewScreen.armed('Anna Anders', await openScreen(), pharmacist, '?sort=newest');
  const place = await review.row('Anna Anders').boundingBox();
  await submitRight(organization, 'Bodo Beck');
  const pill = review.page.getByRole('button', { name: '1 neue Anfrage' });
  await pill.waitFor({ timeout: SOON_MS });
  expect(await review.row('Bodo Beck').count()).toBe(0);
  expect(await review.row('Anna Anders').boundingBox()).toEqual(place);
  await review.press('.');
  await review.row('Bodo Beck').waitFor();
  expect(await pill.count()).toBe(0);
});

it('announces new requests by sound and on the desktop, where the person asks for it on this device', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const screen = await openScreen();
  const heard: string[] = [];
  await screen.context.exposeFunction('heard', (what: string) => heard.push(what));
  await screen.context.addInitScript(announcements);
  const review = await ReviewScreen.openedBy(screen, pharmacist);
  const { page } = review;
  await review.untilArmed('Anna Anders');
  await submitRight(organization, 'Bodo Beck');
  await review.row('Bodo Beck').waitFor({ timeout: SOON_MS });

  await page.goto('/console/settings/me');
  const choice = (name: string) => page.getByRole('checkbox', { name });
  await choice('Ton').check();
  await screen.context.grantPermissions(['notifications']);
  // The tick follows the answer of the browser.
  await choice('Mitteilung auf dem Bildschirm').click();
  await eventually('the tick', () => choice('Mitteilung auf dem Bildschirm').isChecked());
  expect(heard).toEqual([]);
  await submitRight(organization, 'Carla Conrad');
  await eventually('both to be there', () => Promise.resolve(heard.length === 3), SOON_MS);
  expect(heard.sort()).toEqual(['3 Anfragen warten.', 'beep', 'beep']);
  expect(await page.title()).toMatch(/^\(3\) Mein Konto · /);
});

/** In the page: reports each sound and note to the story. */
declare const heard: (what: string) => Promise<void>;
declare const window: {
  OscillatorNode: { prototype: { start: (at?: number) => void } };
  Notification: new (title: string, options?: object) => object;
};
function announcements(): void {
  const { prototype } = window.OscillatorNode;
  const { start } = prototype;
  prototype.start = function (at) {
    void heard('beep');
    start.call(this, at);
  };
  window.Notification = class extends window.Notification {
    constructor(title: string, options?: object) {
      super(title, options);
      void heard(title);
    }
  };
}

it('shows a colleague on row and review as long as the request is open there, and asks once', async () => {
  const { organization } = await newPharmacy(platform);
  const id = await submitRight(organization, 'Anna Anders');
  await submitRight(organization, 'Bodo Beck');
  const { one, other, people } = await twoScreens(organization);
  await withoutUndo(people[0]);
  await one.untilArmed('Anna Anders');
  await other.untilArmed('Anna Anders');
  await eventually('the face on row and review', async () => (await face(one).count()) === 2, SOON_MS);
  const dialog = one.page.getByRole('alertdialog', { name: 'Freigeben: Anna Anders' });
  await other.press('j');
  await eventually('the face to move to the next row', async () => (await face(one).count()) === 1, SOON_MS);
  await other.press('k');
  await eventually('the face to come back', async () => (await face(one).count()) === 2, SOON_MS);
  await one.page.waitForFunction(waited(), Date.now() + 3_500);
  await one.press('a');
  await dialog.waitFor();
  await untilStatus(organization, id, 'pending');
  await one.press('Enter');
  await untilStatus(organization, id, 'approved');
});

/** In the page: a colleague must have had the request open for 3 s. */
function waited(): (untilMs: number) => boolean {
  return (untilMs) => Date.now() > untilMs;
}

it('tells the second person who decided; the row leaves, the key is dead, and j goes on to the next one', async () => {
  const { organization } = await newPharmacy(platform, 'Bodo Beck');
  const id = await submitRight(organization, 'Anna Anders');
  await submitRight(organization, 'Carla Conrad');
  const { other, people } = await twoScreens(organization);
  await other.untilArmed('Bodo Beck');
  await other.press('j');
  await other.untilArmed('Anna Anders');
  const answer = await people[0].org('POST', `/order-requests/${id}/approve`, { version: 1 });
  expect(answer.status).toBe(200);
  await other.page
    .getByRole('status')
    .getByText(/^Anna .+ hat um \d\d:\d\d freigegeben\.$/)
    .waitFor({ timeout: SOON_MS });
  await other.row('Anna Anders').waitFor({ state: 'detached', timeout: SOON_MS });
  expect(await other.approve.count()).toBe(0);
  expect(await other.page.getByRole('heading', { level: 1, name: 'Anna Anders' }).count()).toBe(1);
  await other.press('j');
  await other.untilArmed('Carla Conrad');
});

it('has one stream for six tabs, and each of them receives the news', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const screen = await openScreen();
  const streams = new Set<string>();
  screen.context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/console/api/live') streams.add(String(streams.size));
  });
  const first = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  const pages = [first.page];
  for (let tab = 2; tab <= 6; tab++) {
    const page = await screen.context.newPage();
    await page.goto('/console/requests');
    await page.getByRole('listbox', { name: 'Anfragen' }).waitFor();
    pages.push(page);
  }
  await submitRight(organization, 'Bodo Beck');
  for (const page of pages)
    await page.getByRole('option').filter({ hasText: 'Bodo Beck' }).waitFor({ timeout: SOON_MS });
  expect(streams.size).toBe(1);
  // The tab with the stream closes: another one goes on.
  await first.page.close();
  await eventually('another tab to lead', () => Promise.resolve(streams.size === 2), SOON_MS);
  await submitRight(organization, 'Carla Conrad');
  for (const page of pages.slice(1))
    await page.getByRole('option').filter({ hasText: 'Carla Conrad' }).waitFor({ timeout: SOON_MS });
}, 120_000);

it('shows what changed while the first answer of a page was under way', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const screen = await openScreen();
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  await review.page.goto('/console/settings/me');
  const list = await screen.holdAnswer(/\/review\/requests\?/);
  await review.page.goto('/console/requests');
  await list.untilMade;
  // When the stream has begun, the page asks everything again.
  await review.page.waitForResponse(/\/console\/api\/session$/);
  await submitRight(organization, 'Bodo Beck');
  // The same news has made it ask for this number.
  await review.page.getByText('2 offen').waitFor({ timeout: SOON_MS });
  list.release();
  await review.row('Anna Anders').waitFor();
  await review.row('Bodo Beck').waitFor({ timeout: SOON_MS });
});

it('asks everything again after the connection was lost', async () => {
  const { organization, pharmacist } = await newPharmacy(platform, 'Anna Anders');
  const screen = await openScreen();
  screen.faults.expect(/ERR_INTERNET_DISCONNECTED/, /Failed to load resource/);
  const review = await ReviewScreen.armed('Anna Anders', screen, pharmacist);
  await screen.context.setOffline(true);
  await review.page.getByText('Keine Verbindung: Entscheiden ist gesperrt.').waitFor();
  await submitRight(organization, 'Bodo Beck');
  expect(await review.row('Bodo Beck').count()).toBe(0);
  await screen.context.setOffline(false);
  await review.row('Bodo Beck').waitFor({ timeout: SOON_MS });
  await review.untilArmed('Anna Anders');
});
