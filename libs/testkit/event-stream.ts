import { type BusOptions, connectBus } from '@offizin/bus/connection';
import { EVENTS_STREAM } from '@offizin/events/event-stream';

/** Lets the stream of events hold no more than this, which must be several messages of up to 128 KiB. */
export async function limitEventStream(access: Omit<BusOptions, 'name'>, maxBytes: number): Promise<void> {
  const connection = await connectBus({ ...access, name: 'operator' });
  const manager = await connection.jetstreamManager();
  await manager.streams.update(EVENTS_STREAM, { max_bytes: maxBytes }).finally(() => connection.close());
}
