import { eventually } from '@offizin/testkit/eventually';
import { callApi, type CallAnswer, statusesOf, textIn } from '@offizin/testkit/load/calls';
import { pause } from '@offizin/testkit/load/submissions';
import { makePdf } from '@offizin/testkit/pdf';
import { untilAnswered } from '@offizin/testkit/race';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import type { Trial } from '../trial';

const AT_ONCE = 10;
const APART_MS = 10;

export const erasures: Guarantee = {
  id: 'G30',
  promise: 'An erasure leaves nothing of the person, whatever runs beside it',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const verdicts: Verdict[] = [];
    for (const name of Object.keys(RACES)) verdicts.push(await eraseBeside(trial, bench, name));
    return verdicts;
  },
};

type Call = [method: string, path: string, body: object];
/** The calls that come before; they return the body of the erasure, and what is called beside it. */
type Race = (person: Person) => Promise<{ erase: object; beside: Call }>;

/** A customer, found in any text by `canary`. */
class Person {
  readonly email: string;
  readonly corrected: string;
  readonly name: string;

  constructor(
    private readonly trial: Trial,
    readonly key: string,
  ) {
    this.email = `canary-${key}@example.org`;
    this.corrected = `canary-corrected-${key}@example.org`;
    this.name = `Canary ${key}`;
  }

  get shopId(): string {
    return this.trial.organization.shops[0].shopId;
  }

  order(more: object = {}): Call {
    const own = { customer_name: this.name, customer_email: this.email, address_street: this.name };
    return ['POST', '/orders', { shop_id: this.shopId, external_id: this.key, ...own, ...more }];
  }

  request(more: object = {}): Call {
    const { key, shopId, email, name } = this;
    const pdf = { prescription_pdf_base64: makePdf(name).toString('base64') };
    const customer = { customer_name: name, customer_email: email, ...more };
    const items = [{ name: 'Salbe', quantity: 1, price: 2 }];
    const payload = { shop_id: shopId, ...customer, ...pdf, items };
    return ['POST', '/order-requests', { source: 'g30', external_reference: key, payload }];
  }

  prescription(more: object = {}): Call {
    const body = { 'External Id': this.key, 'Customer Email': this.email, 'Customer Last Name': this.name };
    return ['POST', `/prescriptions/ingest?shop_id=${this.shopId}`, { ...body, ...more }];
  }

  call([method, path, body]: Call, key: string): Promise<CallAnswer> {
    const headers: Record<string, string> =
      method === 'POST' ? { 'idempotency-key': `${this.key}-${key}` } : {};
    return untilAnswered(() => callApi(this.trial.organization, `${method} ${path}`, body, { headers }));
  }

  async idOf(call: Call): Promise<string> {
    return textIn(await this.call(call, 'before'), 'id') ?? '';
  }
}

const ofRequest =
  (besideOf: (id: string, person: Person) => Call, { sent = {}, isAsked = false } = {}): Race =>
  async (person) => {
    const id = await person.idOf(person.request(sent));
    const question: Call = ['POST', `/order-requests/${id}/request-clarification`, { question: person.name }];
    if (isAsked) await person.call(question, 'ask');
    return { erase: { order_request_id: id }, beside: besideOf(id, person) };
  };
const byEmail =
  (race: Race): Race =>
  async (person) => ({ ...(await race(person)), erase: { email: person.email } });
const firstOf = (callOf: (person: Person) => Call): Race =>
  byEmail((person) => Promise.resolve({ erase: {}, beside: callOf(person) }));
const approve = ofRequest((id) => ['POST', `/order-requests/${id}/approve`, {}]);
const correct = ofRequest((id, { corrected, name }) => {
  const body = { customer_email: corrected, customer_name: `${name} II` };
  return ['POST', `/order-requests/${id}/approve`, body];
});
const upsert: Race = async (person) => {
  const order_id = await person.idOf(person.order());
  return { erase: { order_id }, beside: person.order({ address_city: person.name }) };
};
const second = ({ name }: Person) => ({ customer_name: `${name} II` });
const replace = ofRequest((id, person) => [
  'PUT',
  `/order-requests/${id}`,
  person.request(second(person))[2],
]);

const RACES: Readonly<Record<string, Race>> = {
  'approval, by the id of the request': approve,
  'approval, by e-mail': byEmail(approve),
  'approval of a request without e-mail': ofRequest((id) => ['POST', `/order-requests/${id}/approve`, {}], {
    sent: { customer_email: undefined },
  }),
  'approval that corrects the e-mail': byEmail(correct),
  'approval that corrects the e-mail, by the corrected one': async (person) => ({
    ...(await correct(person)),
    erase: { email: person.corrected },
  }),
  'upsert, by id': upsert,
  'upsert, by e-mail': byEmail(upsert),
  'new order': firstOf((person) => person.order()),
  'batch of new orders': firstOf((person) => {
    const orders = ['a', 'b'].map((name) => person.order({ external_id: `${person.key}-${name}` })[2]);
    return ['POST', '/orders/batch', { orders }];
  }),
  'PUT of an order': async (person) => {
    const order_id = await person.idOf(person.order());
    return { erase: { order_id }, beside: ['PUT', `/orders/${order_id}`, second(person)] };
  },
  submission: firstOf((person) => person.request()),
  'one more document': ofRequest((id, { name, key }) => {
    const pdf = makePdf(`${name} ${key}`).toString('base64');
    return [
      'POST',
      `/order-requests/${id}/documents`,
      { kind: 'other', name: `${name}.pdf`, pdf_base64: pdf },
    ];
  }),
  'replacement, by id': replace,
  'replacement, by e-mail': byEmail(replace),
  withdrawal: ofRequest((id, { name }) => {
    return ['POST', `/order-requests/${id}/cancel`, { reason: 'other', message: name }];
  }),
  'answer to a question': ofRequest((_, person) => person.request(second(person)), { isAsked: true }),
  'new prescription': firstOf((person) => person.prescription()),
  'prescription that is sent again': async (person) => {
    const prescription_id = await person.idOf(person.prescription());
    const again = person.prescription({ 'Customer Last Name': `${person.name} II` });
    return { erase: { prescription_id }, beside: again };
  },
};

async function eraseBeside(trial: Trial, bench: Bench, name: string): Promise<Verdict> {
  const rounds = bench.pick(200, 10);
  const kind = Object.keys(RACES).indexOf(name);
  const wrong: string[] = [];
  const answers: CallAnswer[] = [];
  const counted = { orders: 0, order_requests: 0, prescriptions: 0 };
  const isOfPrescription = name.includes('prescription');
  for (let first = 0; first < rounds; first += AT_ONCE) {
    const people = Array.from({ length: AT_ONCE }, (_, at) => new Person(trial, `g30-${kind}-${first + at}`));
    for (const { person, call, answer, erased } of await Promise.all(
      people.map((person) => oneRound(person, name, bench)),
    )) {
      answers.push(answer);
      if (![200, 201, 409].includes(answer.status ?? 0))
        wrong.push(`${answer.status} ${answer.body.slice(0, 200)}`);
      const counts = await finished(trial, textIn(erased, 'id') ?? '');
      if (!counts) {
        wrong.push(`${person.key}: ${erased.body.slice(0, 200)}`);
        continue;
      }
      for (const field of ['orders', 'order_requests', 'prescriptions'] as const)
        counted[field] += counts[field];
      const repeated = await person.call(call, 'beside');
      if (/canary/i.test(repeated.body)) wrong.push(`${person.key}: ${repeated.status} repeats the person`);
    }
  }
  const { left, emptied } = await remains(trial, `g30-${kind}-`);
  const figures = `${counted.orders},${counted.order_requests}`;
  if (figures !== emptied || counted.prescriptions !== (isOfPrescription ? rounds : 0))
    wrong.push(`counted ${figures},${counted.prescriptions} of ${emptied}`);
  return verdict(wrong.length + left.length === 0, {
    fault: `erasure within ${APART_MS} ms of: ${name}`,
    trials: `${rounds} rounds, ${statusesOf(answers)}`,
    figure: `left ${some(left)}, wrong ${some(wrong)}`,
    bar: '0 rows, words, answers and documents; true counts',
  });
}

/** The counts of an erasure, which goes on after its call when the machine is slow; null when it does not end. */
async function finished(trial: Trial, id: string) {
  const counts = () =>
    trial.sql<{ orders: number; order_requests: number; prescriptions: number }>(
      'SELECT orders, order_requests, prescriptions FROM core.erasures WHERE id::text = $1 AND finished_at IS NOT NULL',
      id,
    );
  return eventually('the erasure to be done', async () => (await counts())[0], 30_000).catch(() => null);
}

async function oneRound(person: Person, name: string, { random }: Bench) {
  const race = RACES[name];
  if (!race) throw new Error(`no race ${name}`);
  const { erase, beside: call } = await race(person);
  const apart = random.between(-APART_MS, APART_MS);
  const [erased, answer] = await Promise.all([
    pause(Math.max(0, apart)).then(() => person.call(['POST', '/customers/erase', erase], 'erase')),
    pause(Math.max(0, -apart)).then(() => person.call(call, 'beside')),
  ]);
  return { person, call, answer, erased };
}

/** Of the people whose keys begin so: the rows that still hold one, and how many objects were emptied. */
async function remains(trial: Trial, prefix: string): Promise<{ left: string[]; emptied: string }> {
  const { orgId } = trial.organization;
  const requests = `(SELECT id FROM core.order_requests WHERE org_id = $1 AND external_reference LIKE $2)`;
  const orders = `(SELECT id FROM core.orders WHERE org_id = $1 AND external_id LIKE $2)`;
  const holds = (table: string, isLeft: string): string =>
    `SELECT '${table} ' || t::text AS found FROM core.${table} t WHERE ${isLeft}`;
  const named = (table: string, column: string, ids: string): string =>
    holds(table, `t.${column} IN ${ids} AND t::text ~* 'canary'`);
  const left = await trial.sql<{ found: string }>(
    [
      named('orders', 'id', orders),
      named('order_history', 'order_id', orders),
      named('order_words', 'id', orders),
      named('order_requests', 'id', requests),
      named('order_request_words', 'id', requests),
      // Encrypted text is left where it is not erased.
      holds('orders', `t.id IN ${orders} AND t.erased_at IS NULL`),
      holds(
        'order_requests',
        `t.id IN ${requests} AND (t.erased_at IS NULL OR t.customer_digest IS NOT NULL)`,
      ),
      holds('order_request_versions', `t.order_request_id IN ${requests}`),
      holds('documents', `t.order_request_id IN ${requests}`),
      holds('prescriptions', `t.org_id = $1 AND t.erased_at IS NULL`),
    ].join(' UNION ALL '),
    orgId,
    `${prefix}%`,
  );
  // An approval of an erased request makes an order that has nothing to empty.
  const [row] = await trial.sql<{ emptied: string }>(
    `SELECT concat_ws(',', (SELECT count(*) FROM core.orders WHERE id IN ${orders} AND sequence > 1),
       (SELECT count(*) FROM core.order_requests WHERE id IN ${requests})) AS emptied`,
    orgId,
    `${prefix}%`,
  );
  return { left: left.map(({ found }) => found.slice(0, 80)), emptied: row?.emptied ?? '' };
}
