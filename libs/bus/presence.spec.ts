import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { Presence, ReplicaTally } from './presence';

describe('the tally of replicas', () => {
  function speak(tally: ReplicaTally, ids: string[], from: number, to: number): void {
    for (let second = from; second <= to; second++) for (const id of ids) tally.noteAlive(id, second * 1000);
  }

  it('is one before any id was received', () => {
    expect(new ReplicaTally('own').count).toBe(1);
  });

  it('rises with the first message of a replica, and falls after three seconds without one', () => {
    const tally = new ReplicaTally('own');
    speak(tally, ['own', 'b', 'c'], 0, 10);
    expect(tally.count).toBe(3);
    speak(tally, ['own', 'b'], 11, 13);
    expect(tally.count).toBe(3);
    speak(tally, ['own', 'b'], 14, 14);
    expect(tally.count).toBe(2);
  });

  it('keeps the count while the bus is unavailable, and until all replicas can be received again', () => {
    const tally = new ReplicaTally('own');
    speak(tally, ['own', 'b', 'c'], 0, 10);
    speak(tally, ['own'], 70, 71);
    expect(tally.count).toBe(3);
    speak(tally, ['own', 'b', 'c'], 72, 80);
    expect(tally.count).toBe(3);
  });

  it('counts only the replicas that returned after an interruption', () => {
    const tally = new ReplicaTally('own');
    speak(tally, ['own', 'b', 'c'], 0, 10);
    speak(tally, ['own', 'b'], 70, 74);
    expect(tally.count).toBe(2);
  });
});

describe('presence on the bus', () => {
  it('counts the live replicas of its own app only', async () => {
    const broker = await TestBroker.start();
    const replicas: Presence[] = [];
    for (const app of ['gateway', 'gateway', 'connector-edge']) {
      replicas.push(new Presence(await broker.connect(app), app));
    }
    try {
      for (const replica of replicas) replica.start();
      const counts = (): string => replicas.map((replica) => replica.replicas()).join(' ');
      await eventually('both gateways to count two', () => counts() === '2 2 1');
      const stranger = await broker.connect('stranger');
      for (const bytes of ['', '\0', 'x'.repeat(36), 'x'.repeat(100_000)])
        stranger.publish('presence.gateway', Buffer.from(bytes));
      await stranger.flush();
      await (await broker.connect('another')).flush();
      expect(counts()).toBe('2 2 1');
      replicas[1]?.stop();
      await eventually('the first gateway to be alone', () => counts().startsWith('1 '));
    } finally {
      for (const replica of replicas) replica.stop();
      await broker.stop();
    }
  });
});
