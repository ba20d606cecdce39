export const STORE_MODES = ['move', 'keep', 'return'] as const;
/** `keep` reads what has moved and moves nothing; `return` brings everything back. */
export type StoreMode = (typeof STORE_MODES)[number];

export interface DocumentStoreSettings {
  /** Under which the objects lie: endpoint, bucket and, if wanted, a folder. */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface StoreConfig {
  documentStoreUrl: string;
  documentStoreRegion: string;
  documentStoreAccessKeyId: string;
  documentStoreSecretAccessKey: string;
}

/** Null without a store. */
export function storeSettings(config: StoreConfig): DocumentStoreSettings | null {
  if (config.documentStoreUrl === '') return null;
  return {
    url: config.documentStoreUrl,
    region: config.documentStoreRegion,
    accessKeyId: config.documentStoreAccessKeyId,
    secretAccessKey: config.documentStoreSecretAccessKey,
  };
}

export function storeMistakes(config: StoreConfig): string[] {
  const { documentStoreUrl: url } = config;
  if (url === '') return [];
  const mistakes = [];
  // A query would end up in the middle of an object's address.
  if (/[?#@]/.test(url)) mistakes.push('DOCUMENT_STORE_URL must have no query, fragment or login');
  if (config.documentStoreAccessKeyId === '' || config.documentStoreSecretAccessKey === '')
    mistakes.push(
      'DOCUMENT_STORE_URL is set, and DOCUMENT_STORE_ACCESS_KEY_ID or DOCUMENT_STORE_SECRET_ACCESS_KEY is not',
    );
  return mistakes;
}
