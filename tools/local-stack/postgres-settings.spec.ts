import { localServerMemoryMb, postgresSettings } from './postgres-settings';

const GIB = 2 ** 30;

it.each([
  [2, 512],
  [8, 2_048],
  [24, 4_096],
])('on a machine of %s GiB the local server gets %s MB', (gib, memoryMb) => {
  expect(localServerMemoryMb(gib * GIB)).toBe(memoryMb);
});

it('the cache grows with the memory, durability does not depend on it', () => {
  const [small, large] = [postgresSettings(512), postgresSettings(4_096)];
  expect([small['shared_buffers'], large['shared_buffers']]).toEqual(['128MB', '1024MB']);
  for (const settings of [small, large])
    expect(settings).toMatchObject({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' });
});
