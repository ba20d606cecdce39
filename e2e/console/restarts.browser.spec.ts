import { useScreens } from '@offizin/testkit/browser/screen';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { ReviewScreen, newPharmacy, submitRight, untilStatus, withoutUndo } from './review-screen';

/** The gateway restarts in the middle of the work. Has a stack of its own. */
const openScreen = useScreens();

let own: OwnStack;

beforeAll(async () => {
  own = await startOwnStack();
}, 90_000);
afterAll(() => own.stop(), 60_000);

it('loses no decision: it is sent again when the gateway is back, and the stream goes on', async () => {
  const { organization, pharmacist } = await newPharmacy(own.platform);
  await withoutUndo(pharmacist);
  const id = await submitRight(organization, 'Anna Anders');
  await submitRight(organization, 'Bodo Beck');
  const screen = await openScreen();
  screen.faults.expect(/ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/);
  screen.faults.expect(/ERR_INCOMPLETE_CHUNKED_ENCODING/, /status of 50[234]/);
  const { gateway } = own.stack.apps;
  const [name = '', value = ''] = pharmacist.cookie.split('=');
  const url = own.stack.urls.gateway.replace(/^http:/, 'https:');
  await screen.context.addCookies([{ name, value, url, httpOnly: true, secure: true, sameSite: 'Strict' }]);
  await screen.page.goto(`${own.stack.urls.gateway}/console/requests`);
  const review = new ReviewScreen(screen);
  await review.untilArmed('Anna Anders');
  await gateway.stop();
  await review.press('a');
  await review.message(/Die Entscheidung über Anna Anders wird weiter gesendet/).waitFor();
  await gateway.start();
  await gateway.ready();
  await untilStatus(organization, id, 'approved', 20_000);
  await submitRight(organization, 'Carla Conrad');
  await review.row('Carla Conrad').waitFor();
  expect(await review.row('Anna Anders').count()).toBe(0);
}, 120_000);
