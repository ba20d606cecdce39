import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import { DocumentServer } from '@offizin/testkit/document-server';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** What one organization does beside another (guarantees.md G19); the times are measured by `npm run chaos`. */
const platform = usePlatform();
let greedy: TestOrganization;
let modest: TestOrganization;

beforeAll(async () => {
  [greedy, modest] = await Promise.all([platform.organization(), platform.organization()]);
});

/** Hands in a prescription by its URL. */
function submitUrl(organization: TestOrganization, url: string): Promise<string> {
  const customer_email = `${uniqueTag()}@example.org`;
  return organization.submit(orderRequest({ customer_email, prescription_pdf_url: url }));
}

it('fetches the prescription of one while all servers of another do not answer', async () => {
  const server = await DocumentServer.start();
  server.body = makePdf(uniqueTag());
  server.silentPath = '/silent.pdf';
  try {
    for (let n = 0; n < 20; n++) await submitUrl(greedy, `${server.url}${server.silentPath}`);
    await eventually('fetches that get no answer', () => server.asked.length >= 4);
    const id = await submitUrl(modest, `${server.url}/good.pdf`);
    await eventually('the prescription of the other', async () => {
      const { prescription } = json<OrderRequestDetail>(await modest.api('GET', `/order-requests/${id}`));
      return prescription?.state === 'stored';
    });
  } finally {
    // Ends the fetches under way, too.
    await server.close();
  }
});

it('answers the report of one while another asks for many', async () => {
  const reports = Array.from({ length: 30 }, () => greedy.api('GET', '/reports/stats'));
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => modest.api('GET', '/reports/product-sales')),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = (await Promise.all(reports)).filter(({ status }) => status !== 200);
  for (const answer of refused) {
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(json(answer)['message']).toContain('its whole share of report time');
  }
});
