import { queryAt } from '@offizin/local-stack/database-client';
import { expectDescribed } from './described-answers';
import { testEnvironment } from './environment';
import { http, type HttpAnswer, type HttpOptions } from './http';

interface Identity {
  id: string;
  orgId: string;
  email: string;
  password: string;
}

/** A person in the console, calling its door as the page does. */
export class TestPerson {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly password: string;
  /** The whole header `Cookie`; empty without a session. */
  cookie = '';

  constructor(
    readonly baseUrl: string,
    { id, orgId, email, password }: Identity,
  ) {
    this.id = id;
    this.orgId = orgId;
    this.email = email;
    this.password = password;
  }

  /** What the page sends besides the cookie. */
  get pageHeaders(): Record<string, string> {
    return {
      origin: new URL(this.baseUrl).origin,
      'sec-fetch-site': 'same-origin',
      'x-offizin-console': '1',
    };
  }

  async accept(token: string): Promise<void> {
    this.keep(await this.call('POST', '/api/links/accept', { token, password: this.password }));
  }

  /** Throws unless the answer is a session. */
  async signIn(): Promise<void> {
    const { email, password } = this;
    this.keep(await this.call('POST', '/api/sign-in', { email, password }));
  }

  /** A call below `/console`, from `/api` on; the answer must be as described. `headers` replace those of the page. */
  async call(
    method: string,
    path: string,
    body?: HttpOptions['body'],
    headers?: Record<string, string>,
  ): Promise<HttpAnswer> {
    const cookie: Record<string, string> = this.cookie === '' ? {} : { cookie: this.cookie };
    const url = `${this.baseUrl}/console${path}`;
    const answer = await http(url, {
      method,
      ...(body !== undefined && { body }),
      headers: { ...cookie, ...(headers ?? this.pageHeaders) },
    });
    expectDescribed(method, url, answer);
    return answer;
  }

  /** A call below the person's organization. */
  org(method: string, path: string, body?: HttpOptions['body']): Promise<HttpAnswer> {
    return this.call(method, `/api/v2/public/orgs/${this.orgId}${path}`, body);
  }

  private keep(answer: HttpAnswer): void {
    const [set = ''] = [answer.headers['set-cookie']].flat();
    if (answer.status !== 200 || set === '')
      throw new Error(`no session: ${answer.status} ${String(answer.body)}`);
    this.cookie = set.split(';')[0] ?? '';
  }
}

/** The person confirmed the password longer ago than an operation takes that asks for it. */
export async function letConfirmationAge({ id }: TestPerson): Promise<void> {
  await queryAt(
    testEnvironment().databaseUrls['order-core'],
    `UPDATE core.staff_sessions SET confirmed_at = now() - interval '11 minutes' WHERE staff_id = '${id}'`,
  );
}
