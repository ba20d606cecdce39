import { type CallAnswer, callApi, textIn } from '@offizin/testkit/load/calls';
import { History } from '@offizin/testkit/load/history';
import {
  adjustmentSubmission,
  orderSubmission,
  pause,
  requestSubmission,
  type Submission,
  submitUntilOk,
} from '@offizin/testkit/load/submissions';
import type { Trial } from '../trial';

const PAUSE_MS = 100;
/** A new token may be refused, too, when the clock jumps between two calls. */
const RENEWALS = 5;
const REFUSALS = [401, 503];
/** The connector answers 502 when a service is unavailable. */
const CONNECTOR_REFUSALS = [502, 503];
export const STOCK = 1_000_000;

/**
 * Sends a few calls at a time of each kind that a pharmacy uses, until `stop`. Writes are repeated under their key until
 * they end ok; refused tokens are renewed. Collects answers that are neither ok nor a clear refusal.
 */
export class LightTraffic {
  readonly wrong: string[] = [];
  readonly adjustments: Submission[] = [];
  readonly approvals: string[] = [];
  /** Approvals and adjustments: the checkers of the first history know orders and requests only. */
  private readonly aside = new History(null);
  private stopping = false;
  private loops: Promise<void>[] = [];

  private constructor(
    private readonly trial: Trial,
    readonly history: History,
    readonly approvedP1Id: string,
    readonly adjustedP1Id: string,
  ) {}

  static async start(trial: Trial, history: History): Promise<LightTraffic> {
    const [approved = '', adjusted = ''] = await trial.platform.catalogProducts(2);
    await trial.organization.stock(approved, STOCK);
    await trial.organization.stock(adjusted, STOCK);
    const traffic = new LightTraffic(trial, history, approved, adjusted);
    const kinds = [traffic.order, traffic.approval, traffic.adjustment, traffic.read];
    traffic.loops = kinds.map((kind) => traffic.loop(kind));
    return traffic;
  }

  /** Resolves when all calls have ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.loops);
    this.wrong.push(
      ...this.aside.operations
        .filter(({ outcome }) => outcome === 'fail')
        .map(({ kind, status }) => `${kind}: ${status}`),
    );
  }

  /** An order whose caller sends an Idempotency-Key. */
  orderOf(key: string): Submission {
    const { organization } = this.trial;
    const shop_id = organization.shops[0].shopId;
    const body = { shop_id, external_id: key, items: [{ name: 'Salbe', qty: 1, price: 1 }] };
    const headers = { 'idempotency-key': key };
    const send = () => this.viaGateway(() => callApi(organization, 'POST /orders', body, { headers }));
    return { ...orderSubmission(organization, key), send };
  }

  requestOf(key: string): Submission {
    const items = [{ name: 'Salbe', p1_id: this.approvedP1Id, quantity: 1, price: 1 }];
    const submission = requestSubmission(this.trial.organization, key, { items });
    return { ...submission, send: async () => this.checked('connector', await submission.send()) };
  }

  approvalOf(requestId: string): Submission {
    const path = `/order-requests/${requestId}/approve`;
    const headers = { 'idempotency-key': requestId };
    const send = () =>
      this.viaGateway(() => callApi(this.trial.organization, `POST ${path}`, {}, { headers }));
    return { kind: 'approval', key: requestId, via: 'gateway', send };
  }

  list(): Promise<CallAnswer> {
    return this.viaGateway(() => callApi(this.trial.organization, 'GET /orders?limit=5'));
  }

  private readonly order = async (number: number): Promise<void> => {
    await submitUntilOk(this.orderOf(`g28-order-${number}`), this);
  };

  private readonly approval = async (number: number): Promise<void> => {
    const { id } = await submitUntilOk(this.requestOf(`g28-request-${number}`), this);
    if (id === null) return;
    await submitUntilOk(this.approvalOf(id), { history: this.aside });
    this.approvals.push(id);
  };

  private readonly adjustment = async (number: number): Promise<void> => {
    const { organization } = this.trial;
    const submission = adjustmentSubmission(organization, `g28-stock-${number}`, this.adjustedP1Id);
    const keyed = { ...submission, send: () => this.viaGateway(submission.send) };
    await submitUntilOk(keyed, { history: this.aside });
    this.adjustments.push(keyed);
  };

  private readonly read = async (): Promise<void> => {
    const { organization } = this.trial;
    await this.list();
    const { status } = await organization.exchange(organization.apiKey.text);
    // Needs no other process.
    if (status !== 200) this.wrong.push(`/auth/token: ${status}`);
  };

  private async loop(once: (number: number) => Promise<void>): Promise<void> {
    for (let number = 0; !this.stopping; number++) {
      await once(number).catch((error: unknown) => this.wrong.push(String(error)));
      await pause(PAUSE_MS);
    }
  }

  private async viaGateway(send: () => Promise<CallAnswer>): Promise<CallAnswer> {
    let answer = await send();
    for (let renewal = 0; answer.status === 401 && renewal < RENEWALS; renewal++) {
      this.checked('gateway', answer);
      await this.trial.organization.renewToken();
      answer = await send();
    }
    return this.checked('gateway', answer);
  }

  private checked(via: 'gateway' | 'connector', answer: CallAnswer): CallAnswer {
    const { status, failure, body } = answer;
    if (status !== null && status < 300) return answer;
    const isUnderWay = textIn(answer, 'error') === 'idempotency_in_progress';
    const refusals = via === 'connector' ? CONNECTOR_REFUSALS : REFUSALS;
    const isClear = (status !== null && refusals.includes(status)) || isUnderWay;
    if (!isClear || textIn(answer, 'error') === null || textIn(answer, 'message') === null)
      this.wrong.push(`${via}: ${status} ${failure ?? body.slice(0, 80)}`);
    return answer;
  }
}
