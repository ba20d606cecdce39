import { http, type HttpAnswer, type HttpOptions } from '@offizin/testkit/http';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import type { DemoFile, DemoOrganization, DemoShop } from '../up/demo-file';

/** What one walk knows: the stack, one organization and shop of it, and what the steps found out. */
export class Walk {
  steps = 0;
  token = '';
  subscriptionSecret = '';
  subscriptionId = '';
  requestId = '';
  orderId = '';
  /** New for every walk, so that it can be repeated on the same data. */
  readonly reference = `smoke-${Date.now()}`;
  private readonly startedAt = performance.now();

  private constructor(
    /** Read anew each time: a process that was started again has another pid. */
    readonly demo: () => DemoFile,
    readonly organization: DemoOrganization,
    readonly other: DemoOrganization,
    readonly shop: DemoShop,
    readonly receiver: WebhookReceiver,
  ) {}

  static async begin(demo: () => DemoFile): Promise<Walk> {
    const [organization, other] = demo().organizations;
    const shop = organization?.shops[0];
    if (!organization || !other || !shop)
      throw new Error('The demo has no two organizations with a shop each.');
    return new Walk(demo, organization, other, shop, await WebhookReceiver.start());
  }

  async end(): Promise<void> {
    if (this.subscriptionId)
      await this.api('DELETE', `/webhooks/${this.subscriptionId}`).catch(() => undefined);
    await this.receiver.close();
  }

  /** Runs one step and prints it with its time; what it resolves with is printed behind. */
  async step<T>(name: string, work: () => Promise<T>, note: (value: T) => string = () => ''): Promise<T> {
    const startedAt = performance.now();
    let value: T;
    try {
      value = await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${name}: ${reason}`, { cause: error });
    }
    this.steps += 1;
    const ms = (performance.now() - startedAt).toFixed(1).padStart(8);
    console.log(`${ms} ms  ${name}${note(value)}`);
    return value;
  }

  /** A call of the organization API with the walk's token. */
  async api(method: string, path: string, body?: object): Promise<HttpAnswer> {
    const url = `${this.demo().base_url}/api/v2/public/orgs/${this.organization.org_id}${path}`;
    return http(url, { method, body, headers: { authorization: `Bearer ${this.token}` } });
  }

  /** A call of the connector: to its address, with the shop's domain as Host, so that no name must resolve. */
  async connector(options: HttpOptions & { query?: string; domain?: string }): Promise<HttpAnswer> {
    const headers = { host: options.domain ?? this.shop.domain, ...options.headers };
    const url = `${this.demo().shop_url}/api/v1/external-order${options.query ?? ''}`;
    return http(url, { method: 'POST', ...options, headers });
  }

  elapsedMs(): number {
    return performance.now() - this.startedAt;
  }
}

/** Throws unless the answer has the status; with the body, so that the reason is seen. */
export function expectStatus(answer: HttpAnswer, status: number): HttpAnswer {
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.body.toString().slice(0, 400)}`);
}

/** Throws unless both are the same JSON. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}
