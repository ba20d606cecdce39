import { MAX_LIVE_CHANGES } from '@offizin/contracts/console/live';
import { scopesOfRole } from '@offizin/contracts/people/roles';
import { PendingChanges } from './announcer';

const owner = scopesOfRole('owner');
const clerk = scopesOfRole('clerk');

function pendingOf(...changes: Parameters<PendingChanges['add']>[0][]): PendingChanges {
  const pending = new PendingChanges();
  for (const change of changes) pending.add(change);
  return pending;
}

function orders(count: number): PendingChanges {
  return pendingOf(
    ...Array.from({ length: count }, (_, index) => ({ kind: 'order' as const, id: `${index}` })),
  );
}

describe('changes that wait', () => {
  it('name each object once', () => {
    const pending = pendingOf(
      { kind: 'order', id: '1' },
      { kind: 'order', id: '1' },
      { kind: 'product', id: '1' },
    );
    const changes = [
      { kind: 'order', id: '1' },
      { kind: 'product', id: '1' },
    ];
    expect(pending.messageFor(owner)).toEqual({ changes });
  });

  it('are only for roles that may read the kind', () => {
    const pending = pendingOf({ kind: 'order_request', id: '1' }, { kind: 'prescription', id: '2' });
    expect(pending.messageFor(owner)?.changes).toHaveLength(2);
    expect(pending.messageFor(clerk)).toBeNull();
    pending.add({ kind: 'order', id: '3' });
    expect(pending.messageFor(clerk)).toEqual({ changes: [{ kind: 'order', id: '3' }] });
  });

  it('become `all` beyond the limit, and not for a role that may read few of them', () => {
    expect(orders(MAX_LIVE_CHANGES).messageFor(owner)?.changes).toHaveLength(MAX_LIVE_CHANGES);
    expect(orders(MAX_LIVE_CHANGES + 1).messageFor(owner)).toEqual({ changes: [], all: true });
    const mixed = orders(MAX_LIVE_CHANGES);
    mixed.add({ kind: 'order_request', id: 'r' });
    expect(mixed.messageFor(owner)).toEqual({ changes: [], all: true });
    expect(mixed.messageFor(clerk)?.changes).toHaveLength(MAX_LIVE_CHANGES);
  });

  it('are `all` for everybody when some may have been missed', () => {
    const pending = new PendingChanges();
    expect(pending.isEmpty()).toBe(true);
    pending.addAll();
    expect(pending.isEmpty()).toBe(false);
    expect(pending.messageFor(clerk)).toEqual({ changes: [], all: true });
  });
});
