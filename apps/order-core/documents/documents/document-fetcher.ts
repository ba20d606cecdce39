import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { decodedBody } from '@offizin/egress/decoded-body';
import type { EgressAnswer } from '@offizin/egress/exchange';
import { Egress } from '@offizin/egress/send';
import { Database } from '@offizin/pg/database';
import { WakeSignal } from '@offizin/runtime/periodic-work';
import { errorFields, log } from '@offizin/runtime/log';
import { DataKeys } from '../../crypto/data-keys.store';
import { DocumentThreads } from './document-threads';
import { completeFetch, failFetch, leaseDueDocument, type WaitingDocument } from './documents.store';
import { decrypt } from '../../crypto/encryption';
import { checkPdf, isHttpsWithoutCredentials } from './pdf';

const POLL_MS = 5_000;
const FETCH_TIMEOUT_MS = 20_000;
/** A server that hangs delays only its own documents. */
const FETCHES_AT_ONCE = 8;
/** Leaves slots for other organizations when all servers of one organization hang. */
const FETCHES_PER_ORGANIZATION = 4;
/** Longer than a fetch: no other replica fetches the document meanwhile. */
const LEASE_SECONDS = 60;

/**
 * Fetches prescriptions that were submitted as a URL, in the background, through the egress guard. A failed fetch is
 * stored with the document for staff to see; the request itself stays valid.
 */
export class DocumentFetcher {
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();
  private leasing: Promise<unknown> = Promise.resolve();
  /** Per organization, in this process. */
  private readonly fetching = new Map<string, number>();
  /** One per concurrent fetch. */
  private readonly wakeSignals = Array.from({ length: FETCHES_AT_ONCE }, () => new WakeSignal());

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly egress: Egress,
    private readonly threads: DocumentThreads,
  ) {}

  readonly takes = (url: string): boolean => isDocumentUrl(this.egress, url);

  start(): void {
    this.running = Promise.all(this.wakeSignals.map((wakeSignal) => this.run(wakeSignal)));
  }

  /** Called after a commit that stored a document to fetch. */
  wake(): void {
    for (const wakeSignal of this.wakeSignals) wakeSignal.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.running;
  }

  private async run(wakeSignal: WakeSignal): Promise<void> {
    while (!this.stopped) {
      try {
        const waiting = await this.lease();
        if (waiting) await this.fetch(waiting).finally(() => this.count(waiting.org_id, -1));
        else await wakeSignal.pause(POLL_MS);
      } catch (error) {
        log.warn(errorFields(error), 'document fetcher starts over');
        await wakeSignal.pause(POLL_MS);
      }
    }
  }

  /** Leases the oldest document of an organization below its limit. Serialized, so that the counts are current. */
  private lease(): Promise<WaitingDocument | null> {
    const leasing = this.leasing.then(async () => {
      const full = [...this.fetching].filter(([, fetches]) => fetches >= FETCHES_PER_ORGANIZATION);
      const waiting = await leaseDueDocument(
        this.database,
        LEASE_SECONDS,
        full.map(([orgId]) => orgId),
      );
      if (waiting) this.count(waiting.org_id, 1);
      return waiting;
    });
    this.leasing = leasing.catch(() => null);
    return leasing;
  }

  private count(orgId: string, change: 1 | -1): void {
    const fetches = (this.fetching.get(orgId) ?? 0) + change;
    if (fetches === 0) this.fetching.delete(orgId);
    else this.fetching.set(orgId, fetches);
  }

  private async fetch(waiting: WaitingDocument): Promise<void> {
    const { id, org_id: orgId } = waiting;
    const failure = await this.fetchAndStore(id, orgId, await this.urlOf(waiting));
    if (failure !== null) await failFetch(this.database, id, failure);
    log.info({ document_id: id, org_id: orgId, failure }, 'prescription fetched');
  }

  private async urlOf({ id, org_id: orgId, url_ciphertext }: WaitingDocument): Promise<string> {
    return decrypt(await this.dataKeys.keyOf(orgId), url_ciphertext, id).toString();
  }

  /** Returns the reason when the URL yields no valid PDF, else null. */
  private async fetchAndStore(id: string, orgId: string, url: string): Promise<string | null> {
    const fetched = await documentAt(this.egress, url);
    if (typeof fetched === 'string') return fetched;
    const pdf = checkPdf(fetched.body);
    if (!pdf.ok)
      return `the document ${pdf.message}${fetched.isPage ? ': it is a web page, such as a login' : ''}`;
    const key = await this.dataKeys.keyOf(orgId);
    await completeFetch(this.database, id, await this.threads.encrypt(key, pdf, id, orgId));
    return null;
  }
}

/** The document, or the reason why it is missing. */
export async function documentAt(
  egress: Egress,
  url: string,
): Promise<{ body: Buffer; isPage: boolean } | string> {
  try {
    const answer = await fetchDocument(egress, url);
    const { status, truncated, headers } = answer;
    if (status !== 200) return `the server answered ${status}${meaningOf(status)}`;
    if (truncated) return `the document is larger than ${MAX_PDF_BYTES} bytes`;
    const isPage = headers['content-type']?.startsWith('text/html') === true;
    return { body: await decodedBody(answer, MAX_PDF_BYTES), isPage };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What the sender can do. The body of the answer is never shown: it may hold anything. */
function meaningOf(status: number): string {
  if (status === 401 || status === 407) return ': it asks for a login, but a link must need none';
  if (status === 403) return ': it refuses access; the link may have expired, or a firewall blocks it';
  if (status === 404 || status === 410) return ': there is no document at this link, or it has expired';
  if (status === 429) return ': it accepts no more requests for now';
  if (status >= 500) return ': it has failed';
  return REDIRECTS.has(status) ? ': its redirect is not followed' : '';
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Syntax only: the egress guard checks the destination when it fetches. */
export function isDocumentUrl(egress: Egress, url: string): boolean {
  return isHttpsWithoutCredentials(url) || egress.allowsUnencrypted(url);
}

/** Follows one redirect on the same host; the guard checks its target as it checked the first. */
export async function fetchDocument(egress: Egress, url: string): Promise<EgressAnswer> {
  const get = (target: string, timeoutMs: number): Promise<EgressAnswer> =>
    egress.send({
      url: target,
      method: 'GET',
      headers: { accept: 'application/pdf' },
      timeoutMs,
      maxResponseBytes: MAX_PDF_BYTES,
    });
  const answer = await get(url, FETCH_TIMEOUT_MS);
  const { location } = answer.headers;
  if (!REDIRECTS.has(answer.status) || location === undefined || !URL.canParse(location, url)) return answer;
  const target = new URL(location, url);
  if (target.origin !== new URL(url).origin || !isDocumentUrl(egress, target.href)) return answer;
  return get(target.href, Math.max(1, FETCH_TIMEOUT_MS - answer.durationMs));
}
