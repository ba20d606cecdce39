import { movedDatabaseUrls, newSecrets } from './installation-secrets';

it('gives the databases another address, with its options, and leaves roles and passwords', () => {
  const secrets = newSecrets();
  const moved = movedDatabaseUrls(secrets, 'db.example.org:6432/offizin?sslmode=verify-full');
  expect(Object.keys(moved).sort()).toEqual([
    'CATALOG_DATABASE_URL',
    'ORDER_CORE_DATABASE_URL',
    'WEBHOOK_WORKER_DATABASE_URL',
  ]);
  for (const [name, url] of Object.entries(moved)) {
    const [before, after] = [new URL(secrets[name] ?? ''), new URL(url)];
    expect([after.username, after.password]).toEqual([before.username, before.password]);
    expect([after.host, after.search]).toEqual(['db.example.org:6432', '?sslmode=verify-full']);
  }
  expect(movedDatabaseUrls({ ...secrets, ...moved }, 'postgres:5432/offizin')).toEqual(
    Object.fromEntries(Object.keys(moved).map((name) => [name, secrets[name]])),
  );
});
