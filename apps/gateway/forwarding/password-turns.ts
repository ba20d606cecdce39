import type { EventEmitter } from 'node:events';
import type { Operation } from '@offizin/contracts/calls/operation';
import { acceptLink, changePassword, confirmSession, signIn } from '@offizin/contracts/people/sessions';
import { AlreadyAnswered } from '@offizin/http-edge/response-status';
import { networkOf, providerOf } from '@offizin/http-edge/trusted-proxies';
import { Activity, FairShares } from '@offizin/runtime/fair-shares';

/** Each hashes a password in order-core, which takes a core for about 110 ms. */
const PASSWORD_CALLS = new Set<string>(
  [signIn, acceptLink, confirmSession, changePassword].map(({ name }) => name),
);

export function hashesPassword({ name }: Operation): boolean {
  return PASSWORD_CALLS.has(name);
}

interface PasswordCaller {
  ip: string;
  response: EventEmitter & { destroyed: boolean };
  /** With a session. */
  staffId: string | undefined;
}

/** After so many turns of known callers, one is for a network that is not known. */
const KNOWN_IN_A_ROW = 3;
/** Beyond it all are forgotten. */
const MAX_KNOWN_NETWORKS = 10_000;

/**
 * The queue for password work (decision 0030). It is in the gateway, which sees the network of a caller and when the
 * caller leaves. First come people with a session, and networks from which a right password came: each is a party. All
 * other networks of one provider are one party, so many addresses of a flood get no more turns than a caller elsewhere.
 * These get one turn of four whatever the known callers do.
 */
export class PasswordTurns {
  private readonly known = new Set<string>();
  private readonly shares = new FairShares({
    name: 'password work',
    slots: 2,
    perParty: 2,
    perPartyBesideOthers: 1,
    activity: new Activity(),
    // The call has its own deadline after this.
    waitMs: 3_000,
    maxWaiting: 30,
    first: { has: (party) => this.known.has(party) || isPerson(party), inARow: KNOWN_IN_A_ROW },
  });

  /** Runs `call` in its turn. Throws `Unreachable` when the turn does not come, or `AlreadyAnswered` when the caller leaves. */
  async run<Answered extends { status: number }>(
    op: Operation,
    { ip, response, staffId }: PasswordCaller,
    call: () => Promise<Answered>,
  ): Promise<Answered> {
    if (!hashesPassword(op)) return call();
    const party = staffId === undefined ? this.partyAt(ip) : `${PERSON}${staffId}`;
    const release = await this.turn(party, response);
    try {
      const answer = await call();
      if (answer.status === 200 && staffId === undefined) this.remember(networkOf(ip));
      return answer;
    } finally {
      release();
    }
  }

  private async turn(party: string, response: PasswordCaller['response']): Promise<() => void> {
    const left = new AbortController();
    const leave = (): void => left.abort(new AlreadyAnswered());
    if (response.destroyed) leave();
    response.once('close', leave);
    return this.shares.acquire(party, left.signal).finally(() => response.off('close', leave));
  }

  private partyAt(ip: string): string {
    const network = networkOf(ip);
    return this.known.has(network) ? network : providerOf(ip);
  }

  private remember(network: string): void {
    if (this.known.size >= MAX_KNOWN_NETWORKS) this.known.clear();
    this.known.add(network);
  }
}

/** No network begins so. */
const PERSON = 'person ';

function isPerson(party: string): boolean {
  return party.startsWith(PERSON);
}
