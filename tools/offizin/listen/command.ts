import type { Command } from 'commander';
import { ALL_EVENT_TYPES, type EventType, isEventType } from '@offizin/contracts/events';
import { type ApiAccess, apiKeyOption, baseUrlOption } from '../api-access';
import type { Output } from '../output';
import { Listener } from './listener';

interface ListenOptions extends Partial<ApiAccess> {
  events?: string;
  port: string;
  publicUrl?: string;
  forwardTo?: string;
}

type AccessOf = (given: Partial<ApiAccess>) => ApiAccess;
type Fail = (error: unknown) => void;

interface Reach {
  accessOf: AccessOf;
  output: Output;
  fail: Fail;
}

export function addListenCommand(program: Command, reach: Reach): void {
  program
    .command('listen')
    .description(
      'subscribe, and print every webhook that comes, verified, until Ctrl-C; with --json a line of each',
    )
    .addOption(baseUrlOption())
    .addOption(apiKeyOption('webhooks.write'))
    .option('--events <list>', 'kinds with commas between; all unless given')
    .option('--port <number>', 'where to listen on 127.0.0.1; a free one unless given', '0')
    .option('--public-url <url>', 'under which the installation reaches this machine, if it is another one')
    .option('--forward-to <url>', 'hand each delivery on to this receiver, and answer as it does')
    .action((options: ListenOptions) => listen(options, reach));
}

async function listen(options: ListenOptions, { accessOf, output, fail }: Reach): Promise<void> {
  const { events, port, publicUrl, forwardTo: receiver } = options;
  const forwardTo = receiver === undefined ? undefined : httpAddress(receiver);
  const listener = await Listener.start({
    ...accessOf(options),
    port: Number(port),
    publicUrl,
    forwardTo,
    eventTypes: events === undefined ? undefined : eventTypesOf(events),
    asJson: output.isJsonAsked,
    print: (line) => console.log(line),
    note: (line) => console.error(line),
  });
  console.error(`Listening as ${listener.url}. Ctrl-C ends the subscription.`);
  if (forwardTo !== undefined) console.error(`The receiver verifies with the secret ${listener.secret}`);
  // One Ctrl-C arrives several times: from the terminal, from npm and from the bootstrap.
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= listener.stop().then(() => process.exit(0), fail));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
}

function httpAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`--forward-to takes an address such as http://127.0.0.1:8080/webhooks, not ${text}`);
  return text;
}

/** Throws with the kinds that there are. */
export function eventTypesOf(list: string): EventType[] {
  const wanted = list.split(',');
  const unknown = wanted.filter((kind) => !isEventType(kind));
  if (unknown.length === 0) return wanted.filter(isEventType);
  throw new Error(`There is no event ${unknown.join(', ')}. Events: ${ALL_EVENT_TYPES.join(', ')}`);
}
