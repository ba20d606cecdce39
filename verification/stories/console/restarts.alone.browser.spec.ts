import { addSession, useScreens } from '@offizin/testkit/browser/screen';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import {
  newPharmacy,
  ReviewScreen,
  statusOf,
  submitRight,
  untilStatus,
  withoutUndo,
} from './requests/review-screen';

/** The gateway restarts during work. Has a separate stack. */
const openScreen = useScreens();

let own: OwnStack;

beforeAll(async () => {
  own = await startOwnStack();
}, 90_000);
afterAll(() => own.stop(), 60_000);

/** The request list on this stack, with what a browser notes about a gateway that is unreachable. */
async function openedAnna() {
  const { organization, pharmacist } = await newPharmacy(own.platform);
  await withoutUndo(pharmacist);
  const id = await submitRight(organization, 'Anna Anders');
  await submitRight(organization, 'Bodo Beck');
  const screen = await openScreen();
  screen.faults.expect(/ERR_(?:CONNECTION_REFUSED|CONNECTION_RESET|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)/);
  screen.faults.expect(/ERR_INCOMPLETE_CHUNKED_ENCODING/, /status of 50[234]/);
  const { gateway } = own.stack.apps;
  await addSession(screen.context, pharmacist, own.stack.urls.gateway);
  const address = `${own.stack.urls.gateway}/console/requests`;
  await screen.page.goto(address);
  const review = new ReviewScreen(screen);
  await review.untilArmed('Anna Anders');
  return { organization, id, review, gateway, address };
}

it('loses no decision: it is sent again when the gateway is back, and the stream goes on', async () => {
  const { organization, id, review, gateway } = await openedAnna();
  await gateway.stop();
  await review.press('a');
  await review.message(/Die Entscheidung über Anna Anders wird gesendet, sobald/).waitFor();
  await gateway.start();
  await gateway.ready();
  await untilStatus(organization, id, 'approved', 20_000);
  await submitRight(organization, 'Carla Conrad');
  await review.row('Carla Conrad').waitFor();
  expect(await review.row('Anna Anders').count()).toBe(0);
}, 120_000);

it('warns before a page is left that is still sending, and states afterwards what was not decided', async () => {
  const { organization, id, review, gateway, address } = await openedAnna();
  await gateway.stop();
  await review.press('a');
  await review.message(/Die Entscheidung über Anna Anders wird gesendet, sobald/).waitFor();
  const warned = review.page.waitForEvent('dialog');
  const left = review.page.reload().catch(() => null);
  const warning = await warned;
  expect(warning.type()).toBe('beforeunload');
  await warning.accept();
  await left;
  await gateway.start();
  await gateway.ready();
  // Also on another page, which leads to the screen that knows it.
  await review.page.goto(address.replace('/requests', '/settings/me'));
  await review.message(/Seite „Anfragen“ war noch nicht alles/).waitFor();
  await review.page.getByRole('button', { name: 'Ansehen' }).click();
  await review.message(/^Anna Anders: nicht entschieden\. Die Seite wurde verlassen/).waitFor();
  expect(await statusOf(organization, id)).toBe('pending');
  await review.page.reload();
  await review.untilArmed('Anna Anders');
  expect(await review.message(/Anna Anders/).count()).toBe(0);
}, 120_000);
