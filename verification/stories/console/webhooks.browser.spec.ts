import type { Locator, Page } from 'playwright-core';
import { choicesOf, picker } from '@offizin/testkit/browser/pickers';
import { type Screen, signInAs, useScreens } from '@offizin/testkit/browser/screen';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { newOrder } from './orders/list-screens';

/** Endpoints, their deliveries, and what an owner does about a receiver that fails. */
const openScreen = useScreens();
/** Longer than the console waits before it reads deliveries again. */
const ASKED_AGAIN_MS = 20_000;

const platform = usePlatform();
let receiver: WebhookReceiver;

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

interface Story {
  organization: TestOrganization;
  owner: TestPerson;
  screen: Screen;
  page: Page;
}

async function signedIn(): Promise<Story> {
  const { organization, person: owner } = await platform.staffed('owner');
  const screen = await openScreen();
  await signInAs(screen, owner);
  return { organization, owner, screen, page: screen.page };
}

async function subscribed(organization: TestOrganization): Promise<string> {
  return json<{ id: string }>(await organization.api('POST', '/webhooks', { url: receiver.url })).id;
}

function deliveryRow(page: Page, kind: string): Locator {
  return page.getByRole('grid', { name: 'Zustellungen' }).getByRole('row').filter({ hasText: kind });
}

async function stored(page: Page): Promise<string> {
  const dialog = page.getByRole('alertdialog');
  const value = await dialog.getByLabel('Geheimnis', { exact: true }).inputValue();
  const close = dialog.getByRole('button', { name: 'Schließen' });
  expect(await close.isEnabled()).toBe(false);
  await page.getByLabel('Ich habe das Geheimnis gespeichert.').check();
  await close.click();
  return value;
}

it('shows that a webhook fails, and sends it again; the audit log names who did', async () => {
  const { organization, owner, screen, page } = await signedIn();
  receiver.status = 500;
  await page.goto('/console/orders');
  await page.getByText('Noch keine Aufträge').waitFor();
  await screen.press('g', 'w');
  await page.getByText('Noch kein Endpunkt').waitFor();
  await page.getByRole('button', { name: 'Endpunkt anlegen' }).click();
  await page.getByRole('textbox', { name: /^Adresse/ }).fill(receiver.url);
  await screen.press('Enter');
  expect(await stored(page)).toMatch(/^whsec_/);
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByText('Noch keine Zustellung').waitFor();
  const orderId = await newOrder(organization, 'Anna Anders');
  await receiver.waitFor(({ event_type: kind }) => kind === 'order_created');
  await deliveryRow(page, 'order_created').click({ timeout: ASKED_AGAIN_MS });
  const pane = page.getByRole('region', { name: 'Zustellung', exact: true });
  await pane.getByText('Antwort 500').first().waitFor();
  await pane.getByText(orderId).waitFor();
  await page.getByText(/^100 % fehlgeschlagen/).waitFor({ timeout: ASKED_AGAIN_MS });
  await screen.keepScreenshot('webhook-failing');

  receiver.status = 200;
  await screen.press('r');
  await pane.getByText('Zugestellt').waitFor({ timeout: ASKED_AGAIN_MS });
  await pane.getByText('Antwort 200').waitFor();
  await page.reload();
  await pane.getByText('Antwort 200').waitFor();
  await page.getByRole('button', { name: 'Fehlgeschlagen', exact: true }).click();
  await page.getByText('Keine Zustellung passt zu diesem Filter').waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
  await eventually('the audit log to name the owner', async () => {
    const { data } = json<{ data: { action: string; actor: string }[] }>(
      await owner.org('GET', '/audit-log'),
    );
    return data.some(({ action, actor }) => action === 'webhook.redeliver' && actor === `staff:${owner.id}`);
  });
}, 90_000);

it('sends what was missed during a pause, and states beforehand how much that is', async () => {
  const { organization, screen, page } = await signedIn();
  const webhookId = await subscribed(organization);
  await page.goto(`/console/webhooks/${webhookId}`);
  await page.getByRole('button', { name: 'Pausieren' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Pausieren' }).click();
  await page.getByText('Pausiert: Es wird nichts gesendet.').waitFor();
  for (const customer of ['Anna Anders', 'Bodo Beck']) await newOrder(organization, customer);
  await eventually('the events to be stored', async () => {
    const { data } = json<{ data: object[] }>(await organization.api('GET', '/events'));
    return data.length === 2;
  });
  await page.getByRole('button', { name: 'Fortsetzen' }).click();
  await page.getByText('2 Zustellungen fehlen und werden gesendet.').waitFor();
  await screen.keepScreenshot('webhook-recover');
  expect(receiver.received).toHaveLength(0);
  await page.getByRole('button', { name: '2 senden' }).click();
  await eventually('both to arrive', () => Promise.resolve(receiver.received.length === 2));
  await deliveryRow(page, 'order_created').filter({ hasText: 'Zugestellt' }).nth(1).waitFor({
    timeout: ASKED_AGAIN_MS,
  });
}, 90_000);

it('sends a test event, copies a delivery as curl, and replaces the secret', async () => {
  const { organization, screen, page } = await signedIn();
  const webhookId = await subscribed(organization);
  await screen.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`/console/webhooks/${webhookId}`);
  await page.getByText('Noch keine Zustellung').waitFor();
  await screen.press('t');
  await receiver.waitFor(({ event_type: kind }) => kind === 'webhook_test');
  await deliveryRow(page, 'webhook_test').waitFor({ timeout: ASKED_AGAIN_MS });
  await screen.press('j', 'Enter');
  await page.getByRole('button', { name: /^Als curl kopieren/ }).click();
  await page.getByText('Kopiert. Die Signatur fehlt darin.').waitFor();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(copied).toContain(`curl -X POST '${receiver.url}'`);
  expect(copied).toContain(receiver.received[0]?.body.toString());
  await page.getByRole('button', { name: 'Neues Geheimnis' }).press('Enter');
  const { untilAsked, release } = await screen.holdCalls(/\/rotate-secret$/);
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Neues Geheimnis' }).click();
  await untilAsked;
  // The secret is shown once, so the dialog cannot be left before.
  const cancel = dialog.getByRole('button', { name: 'Abbrechen', disabled: true });
  await cancel.waitFor();
  await screen.press('Escape');
  expect(await cancel.count()).toBe(1);
  release();
  await page.getByText(/^Das bisherige Geheimnis signiert noch bis/).waitFor();
  expect(await stored(page)).toMatch(/^whsec_/);
}, 90_000);

it('sends the deliveries of an order again, all together, and states which were refused', async () => {
  const { organization, screen, page } = await signedIn();
  receiver.status = 500;
  const [open, paused] = [await subscribed(organization), await subscribed(organization)];
  const orderId = await newOrder(organization, 'Anna Anders');
  await eventually('both to be tried', () => Promise.resolve(receiver.received.length >= 2));
  await organization.api('PUT', `/webhooks/${paused}`, { is_active: false });
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  receiver.status = 200;
  const before = receiver.received.length;

  await page.goto(`/console/orders?id=${orderId}`);
  await page.getByRole('link', { name: 'Webhook-Zustellungen dieses Auftrags' }).click();
  await deliveryRow(page, 'order_created').nth(1).waitFor();
  await screen.press('Shift+a', 'r');
  const dialog = page.getByRole('alertdialog', { name: '2 Zustellungen erneut senden' });
  await dialog.getByText(/dieselbe Kennung der Zustellung/).waitFor();
  screen.faults.expect(/status of 409 .*\/redeliver:/);
  await dialog.getByRole('button', { name: 'Erneut senden' }).click();
  await dialog.getByText('Eine Zustellung wird erneut gesendet, 1 nicht:').waitFor();
  const refused = dialog.getByRole('list', { name: 'Nicht gesendet' });
  await refused.getByText(/Der Endpunkt ist pausiert oder abgeschaltet\.$/).waitFor();
  await screen.keepScreenshot('webhook-sent-again');
  await dialog.getByRole('button', { name: 'Schließen' }).click();
  await page.getByRole('group', { name: '1 Zustellung ausgewählt' }).waitFor();
  await eventually('it to arrive', () => Promise.resolve(receiver.received.length > before));
  expect(ids).toContain(receiver.received.at(-1)?.headers['webhook-id']);
  await deliveryRow(page, 'Zugestellt').waitFor({ timeout: ASKED_AGAIN_MS });
  await picker(page, 'Endpunkt').click();
  await choicesOf(page, 'Endpunkt').nth(1).click();
  await deliveryRow(page, 'order_created').nth(1).waitFor({ state: 'detached' });
  expect([open, paused]).toContain(new URL(page.url()).searchParams.get('endpoint'));
}, 90_000);

it('changes what an endpoint gets, and deletes it', async () => {
  const { organization, screen, page } = await signedIn();
  const webhookId = await subscribed(organization);
  await page.goto(`/console/webhooks/${webhookId}`);
  await page.getByRole('button', { name: 'Bearbeiten' }).click();
  const dialog = page.getByRole('dialog', { name: 'Bearbeiten' });
  await dialog.getByLabel('Beschreibung').fill('ERP');
  await dialog.getByText('Ausgewählte').click();
  expect(await dialog.getByRole('button', { name: 'Speichern' }).isDisabled()).toBe(true);
  await dialog.getByLabel('order_created').check();
  await dialog.getByLabel(/^Höchstens so viele/).fill('5');
  await dialog.getByRole('button', { name: 'Speichern' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(json(await organization.api('GET', `/webhooks/${webhookId}`))).toMatchObject({
    url: receiver.url,
    description: 'ERP',
    event_types: ['order_created'],
    rate_per_second: 5,
  });
  await page.getByRole('button', { name: 'Löschen' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Löschen' }).click();
  screen.faults.expect(/status of 404 /);
  await page.getByText('Noch kein Endpunkt').waitFor();
  expect((await organization.api('GET', `/webhooks/${webhookId}`)).status).toBe(404);
}, 90_000);

it('books a dialog by Ctrl Enter, whichever of its controls has the focus', async () => {
  const { organization, screen, page } = await signedIn();
  const wanted = { url: receiver.url, event_types: ['order_created'] };
  const webhookId = json<{ id: string }>(await organization.api('POST', '/webhooks', wanted)).id;
  await page.goto(`/console/webhooks/${webhookId}`);
  const dialog = page.getByRole('dialog', { name: 'Bearbeiten' });
  const controls = {
    field: dialog.getByLabel('Beschreibung'),
    radio: dialog.getByRole('radio', { name: 'Ausgewählte' }),
    checkbox: dialog.getByLabel('order_created'),
    cancel: dialog.getByRole('button', { name: 'Abbrechen' }),
  };
  for (const [name, control] of Object.entries(controls)) {
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog.getByLabel('Beschreibung').fill(name);
    await control.focus();
    await screen.press('Control+Enter');
    await dialog.waitFor({ state: 'hidden' });
    const { description } = json<{ description: string }>(
      await organization.api('GET', `/webhooks/${webhookId}`),
    );
    expect(description).toBe(name);
  }
}, 90_000);

it('are present in the bar of a telephone, although an owner has more areas than fit there', async () => {
  const { page } = await signedIn();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/console/webhooks');
  const bar = page.getByRole('navigation', { name: 'Bereiche' }).getByRole('list');
  await eventually('the present area to be within the bar', async () => {
    const [entry, all] = [await bar.locator('[aria-current]').boundingBox(), await bar.boundingBox()];
    return entry && all && entry.x >= all.x && entry.x + entry.width <= all.x + all.width + 1;
  });
});
