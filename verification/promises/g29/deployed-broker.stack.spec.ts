import { DeployedBroker } from '@offizin/testkit/deployed-broker';
import { eventually } from '@offizin/testkit/eventually';
import * as disk from '../faults/small-disk';

const MESSAGE = Buffer.alloc(10_000);

it('a broker whose disk was full stores again, or is ended so that its container starts again', async () => {
  let folder = '';
  const prepare = (dataFolder: string): void => disk.mountSmallDisk((folder = dataFolder), 20);
  const broker = await DeployedBroker.start({ prepare });
  const operator = await broker.connectAsOperator();
  try {
    const manager = await operator.jetstreamManager();
    await manager.streams.add({ name: 'SPEC', subjects: ['spec'] });
    const isStored = (): Promise<boolean> =>
      operator
        .jetstream({ timeout: 1_000 })
        .publish('spec', MESSAGE)
        .then(
          () => true,
          () => false,
        );
    expect([await isStored(), broker.aliveStatus()]).toEqual([true, 0]);
    disk.fillDisk(folder);
    await eventually('a message that is not stored', async () => !(await isStored()));
    // NATS 2.10 answers and recovers; others hang, or stop the stream.
    const alive = broker.aliveStatus();
    disk.emptyDisk(folder);
    if (alive !== 0) await eventually('its end', () => broker.log().includes('hangs and is killed'), 20_000);
    else await eventually('the stream to store', isStored, 20_000);
  } finally {
    await operator.close().catch(() => undefined);
    await broker.stop();
    disk.unmountSmallDisk(folder);
  }
}, 60_000);
