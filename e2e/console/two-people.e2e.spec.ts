import { json } from '@offizin/testkit/http';
import { TestPlatform } from '@offizin/testkit/platform';
import { race } from '@offizin/testkit/race';
import { newPharmacy, submitRight } from './review-screen';

/** Two people and a program decide about the same request through their own doors. */
let platform: TestPlatform;

beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

const APPROVALS = 50;

it('makes one order of 50 approvals by two people; one of them hears that the other was first', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const colleague = await platform.person(organization.orgId, 'pharmacist');
  const id = await submitRight(organization, 'Anna Anders');
  const path = `/order-requests/${id}/approve`;
  const answers = await race(APPROVALS, (index) =>
    (index % 2 === 0 ? pharmacist : colleague).org('POST', path, { version: 1 }),
  );
  const statuses = [0, 1].map((who) => [
    ...new Set(answers.filter((_, index) => index % 2 === who).map(({ status }) => status)),
  ]);
  expect(statuses.sort()).toEqual([[200], [409]]);
  const orders = json<{ pagination: { total: number } }>(await organization.api('GET', '/orders'));
  expect(orders.pagination.total).toBe(1);
  const ids = answers.flatMap((answer) =>
    answer.status === 200 ? [json<{ order_id: string }>(answer).order_id] : [],
  );
  expect(new Set(ids).size).toBe(1);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused && json<{ error: string; details: { field: string }[] }>(refused)).toMatchObject({
    error: 'already_decided',
    details: [{ field: 'status', message: 'approved' }, { field: 'decided_by' }, { field: 'decided_at' }],
  });
});

it('repeats the order to an API key, as the published interface says', async () => {
  const { organization, pharmacist } = await newPharmacy(platform);
  const id = await submitRight(organization, 'Anna Anders');
  const approved = await pharmacist.org('POST', `/order-requests/${id}/approve`, {});
  const again = await organization.api('POST', `/order-requests/${id}/approve`, {});
  expect([again.status, json<{ order_id: string }>(again).order_id]).toEqual([
    200,
    json<{ order_id: string }>(approved).order_id,
  ]);
});
