import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** What the pages ask the source: so that a page says "not yet" exactly as long as it is so. */
export interface ProductionCode {
  /** Codes that a `Refused` or `Unreachable` is made with. */
  thrownCodes: ReadonlySet<string>;
  /** An app names this kind of event where it does not only read events. */
  sends: (eventType: string) => boolean;
  /** An operation with this part in its name has a handler. */
  hasOperation: (part: string) => boolean;
  /** A file whose path begins so holds the text. */
  mentions: (pathStart: string, text: string, except?: string) => boolean;
  exists: (path: string) => boolean;
}

/** Where events are read, not written. */
const READERS =
  /^apps\/(?:catalog\/order-events\/|webhook-worker\/events\/|webhook-worker\/deliveries\/deliveries\.store)/;

export function readProductionCode(): ProductionCode {
  const files = ['apps', 'libs'].flatMap(sourcesBelow);
  const thrown = files.flatMap(({ text }) => [...text.matchAll(/(?:Refused|Unreachable)\(\s*'(\w+)'/g)]);
  const writers = files.filter(({ path }) => path.startsWith('apps/') && !READERS.test(path));
  const handled = handledOperations(files.map(({ text }) => text));
  return {
    thrownCodes: new Set(thrown.map(([, code = '']) => code)),
    sends: (eventType) => writers.some(({ text }) => text.includes(`'${eventType}'`)),
    hasOperation: (part) => handled.some((name) => name.includes(part)),
    mentions: (pathStart, text, except) =>
      files.some(
        (file) => file.path.startsWith(pathStart) && file.path !== except && file.text.includes(text),
      ),
    exists: (path) => existsSync(join(checkoutRoot, path)),
  };
}

/** Names of the operations for which there is a `@Handles(…)`. */
function handledOperations(texts: readonly string[]): string[] {
  const handlers = new Set(
    texts.flatMap((text) => [...text.matchAll(/@Handles\((\w+)\)/g)].map(([, variable]) => variable)),
  );
  const defined = texts.flatMap((text) => [
    ...text.matchAll(/const (\w+) = \w*[oO]peration\(\{\s*name: '([\w.-]+)'/g),
  ]);
  return defined.flatMap(([, variable, name = '']) => (handlers.has(variable) ? [name] : []));
}

function sourcesBelow(folder: string): { path: string; text: string }[] {
  return readdirSync(join(checkoutRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => ({
      path: `${folder}/${path}`,
      text: readFileSync(join(checkoutRoot, folder, path), 'utf8'),
    }));
}
