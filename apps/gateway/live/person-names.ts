import type { Bus } from '@offizin/bus/bus';
import type { Caller } from '@offizin/contracts/caller';
import { Refused, Unreachable } from '@offizin/contracts/errors';
import { getSession, type SessionResponse } from '@offizin/contracts/sessions';

/** A changed name is shown at the latest after this time. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const TIMEOUT_MS = 2_000;

/** Names of people, asked of order-core: sessions in the directory have none. */
export class PersonNames {
  private readonly remembered = new Map<string, { name: string; untilMs: number }>();

  constructor(private readonly bus: Bus) {}

  /** Of the person who calls. Throws `Refused` when the session has ended, `Unreachable` without an answer. */
  async of(caller: Caller): Promise<string> {
    const nowMs = performance.now();
    const known = this.remembered.get(caller.actorId);
    if (known && known.untilMs > nowMs) return known.name;
    const name = await this.ask(caller);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(caller.actorId, { name, untilMs: nowMs + REMEMBER_MS });
    return name;
  }

  private async ask(caller: Caller): Promise<string> {
    const call = { caller, params: {}, queryString: '', headers: {}, body: Buffer.alloc(0) };
    const { status, body } = await this.bus.forward(getSession, call, TIMEOUT_MS);
    if (status === 401) throw new Refused('unauthorized', 'Your session has ended.');
    if (status !== 200)
      throw new Unreachable('service_unavailable', 'order-core is unavailable. Try again in a moment.');
    return (JSON.parse(Buffer.from(body).toString()) as SessionResponse).staff.name;
  }
}
