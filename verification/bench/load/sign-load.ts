import { generateKeyPairSync, sign } from 'node:crypto';
import type { LoadResult, SignJob } from './job';
import { Tally } from './tally';

/** The raw limit of a token exchange: ES256 signatures on one core. */
export function runSign(job: SignJob): LoadResult {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const text = Buffer.alloc(400, 'x');
  const tally = new Tally(job);
  while (!tally.isOver) {
    tally.countSent();
    const startedAtMs = performance.now();
    sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    tally.add('ok', startedAtMs);
  }
  return tally.result();
}
