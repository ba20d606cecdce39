import type { CreateApiKeyBody } from '@offizin/contracts/directory';
import { ALL_SCOPES, isScope } from '@offizin/contracts/scopes';

/** The options of `keys create`, as they were typed. */
export interface KeyOptions {
  org?: string;
  kind: 'org' | 'int';
  scopes?: string;
  shop?: string;
  expires?: string;
}

/** What they ask for; a key for tokens gets all scopes unless some are named. Throws what to type instead. */
export function keyBody({ kind, scopes, shop, expires }: KeyOptions): Omit<CreateApiKeyBody, 'name'> {
  if (kind === 'int' && scopes !== undefined) {
    throw new Error(
      'A connector key (--kind int) carries no scopes: leave --scopes out, or make a key of kind org.',
    );
  }
  const wanted = scopes === undefined || scopes === 'all' ? ALL_SCOPES : scopes.split(',');
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    throw new Error(`There is no scope ${unknown.join(', ')}. Scopes: ${ALL_SCOPES.join(', ')}`);
  }
  const granted = kind === 'org' ? wanted.filter(isScope) : undefined;
  return { kind, scopes: granted, shop_id: shop, expires_at: expires };
}
