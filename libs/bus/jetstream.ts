import { type NatsConnection, NatsError } from 'nats';
import { streamReplicasAt } from './connection';

export async function matchReplicas(connection: NatsConnection, stream: string): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const { config } = await manager.streams.info(stream);
  const num_replicas = streamReplicasAt(connection);
  if (config.num_replicas !== num_replicas) await manager.streams.update(stream, { num_replicas });
}

/** Null when the broker does not know the stream or consumer. */
export async function infoOrNull<Info>(ask: () => Promise<Info>): Promise<Info | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return null;
    throw error;
  }
}
