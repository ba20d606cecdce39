import { type BusOptions, connectBus } from '@offizin/bus/connection';
import { EVENTS_STREAM } from '@offizin/events/event-stream';

/** Limits the size of the event stream to `maxBytes`, at least several messages of up to 128 KiB. */
export async function limitEventStream(access: Omit<BusOptions, 'name'>, maxBytes: number): Promise<void> {
  const connection = await connectBus({ ...access, name: 'operator' });
  const manager = await connection.jetstreamManager();
  await manager.streams.update(EVENTS_STREAM, { max_bytes: maxBytes }).finally(() => connection.close());
}
