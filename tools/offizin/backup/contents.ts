/** Beside the database: without the secrets its documents cannot be read. */
export const localCopies = ['secrets.json', 'demo-keys.json'];
