import { startOwnStack, type OwnStack } from '@offizin/testkit/own-stack';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';

/** A paused service finds calls whose callers got 504, and may have sent newer ones. */
let ownStack: OwnStack;
let organization: TestOrganization;

beforeAll(async () => {
  ownStack = await startOwnStack();
  organization = await ownStack.platform.organization();
}, 90_000);
afterAll(() => ownStack.stop(), 60_000);

it('does not begin a change that its caller has given up', async () => {
  const { id } = await organization.createOrder({ customer_name: 'before' });
  const core = ownStack.stack.apps['order-core'];
  core.kill('SIGSTOP');
  const given = await organization
    .api('PUT', `/orders/${id}`, { customer_name: 'too late' })
    .finally(() => core.kill('SIGCONT'));
  expect(given.status).toBe(504);
  // It comes behind the other one on the same subject and connection.
  const next = await eventually('an answer', async () => {
    const answer = await organization.api('PUT', `/orders/${id}`, { order_number: 'next' });
    return answer.status === 200 ? answer : null;
  });
  expect(json(next)).toMatchObject({ customer_name: 'before', order_number: 'next' });
  const history = json<{ data: unknown[] }>(await organization.api('GET', `/orders/${id}/history`));
  expect(history.data).toHaveLength(2);
}, 60_000);
