import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Facts of the source for the pages: a page says "not yet" only while it is true. */
export interface ProductionCode {
  /** Codes that a `Refused` or `Unreachable` is made with. */
  thrownCodes: ReadonlySet<string>;
  /** An app names this kind of event where it does not only read events. */
  sends: (eventType: string) => boolean;
}

/** Where events are read, not written. */
const READERS =
  /^apps\/(?:catalog\/order-events\/|webhook-worker\/events\/|webhook-worker\/deliveries\/deliveries\.store)/;

export function readProductionCode(): ProductionCode {
  const files = ['apps', 'libs'].flatMap(sourcesBelow);
  const thrown = files.flatMap(({ text }) => [...text.matchAll(/(?:Refused|Unreachable)\(\s*'(\w+)'/g)]);
  const writers = files.filter(({ path }) => path.startsWith('apps/') && !READERS.test(path));
  return {
    thrownCodes: new Set(thrown.map(([, code = '']) => code)),
    sends: (eventType) => writers.some(({ text }) => text.includes(`'${eventType}'`)),
  };
}

function sourcesBelow(folder: string): { path: string; text: string }[] {
  return readdirSync(join(checkoutRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => ({
      path: `${folder}/${path}`,
      text: readFileSync(join(checkoutRoot, folder, path), 'utf8'),
    }));
}
