import type { Command } from 'commander';
import type { EventType } from '@offizin/contracts/webhooks/events';
import type { Offizin } from '../../../clients/typescript/src/client';
import { byKeyOrOperator, type NounAccess, type WithClient } from '../api-access';
import type { Output } from '../output';

/** What a person does with a noun of an organization, by the organization's API key. */
interface ApiNoun {
  description: string;
  /** Scopes of the API. */
  reads: string;
  writes: string;
  /** What a person sees of a list. */
  columns: readonly string[];
  list: (offizin: Offizin) => AsyncIterable<object>;
  show: (offizin: Offizin, id: string) => Promise<object>;
  revoke: { description: string; run: (offizin: Offizin, id: string) => Promise<unknown> };
}

export const API_NOUNS = {
  shops: {
    description: 'branches of an organization, each with its domain',
    reads: 'products.read',
    writes: 'settings.write',
    columns: ['shop_id', 'name', 'is_active', 'is_test'],
    list: ({ shops }) => shops.list(),
    show: ({ settings }, id) => settings.getShop(id),
    revoke: {
      description: 'switch a shop off: its domain answers 404; its orders stay',
      run: ({ settings }, id) => settings.updateShop(id, { is_active: false }),
    },
  },
  keys: {
    description: 'API keys; the key itself is shown when it is created, and never again',
    reads: 'settings.read',
    writes: 'settings.write',
    columns: ['id', 'name', 'kind', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'],
    list: ({ apiKeys }) => apiKeys.list(),
    show: async ({ apiKeys }, id) => {
      for await (const key of apiKeys.list({ include_revoked: true })) if (key.id === id) return key;
      throw new Error(`The organization has no API key ${id}. List them: offizin keys list`);
    },
    revoke: {
      description: 'end a key and all its tokens',
      run: ({ apiKeys }, id) => apiKeys.revoke(id),
    },
  },
  webhooks: {
    description: 'subscriptions to events',
    reads: 'webhooks.read',
    writes: 'webhooks.write',
    columns: ['id', 'url', 'event_types', 'is_active', 'failing_since'],
    list: ({ webhooks }) => webhooks.list(),
    show: ({ webhooks }, id) => webhooks.get(id),
    revoke: {
      description: 'delete a subscription; what waits for it is not delivered',
      run: ({ webhooks }, id) => webhooks.delete(id),
    },
  },
} as const satisfies Record<string, ApiNoun>;

/** Of a noun, for the commands that it has besides these. */
export type NounCommands = Record<keyof typeof API_NOUNS, Command>;

/** `offizin <noun> list|show|revoke` */
export function addApiNouns(program: Command, withClient: WithClient, output: Output): NounCommands {
  const added = Object.entries<ApiNoun>(API_NOUNS).map(([name, noun]) => {
    const command = program.command(name).description(noun.description);
    const list = command.command('list').description(`list the ${name} of an organization`);
    byKeyOrOperator(list, noun.reads).action((access: NounAccess) =>
      withClient(access, async (offizin) => {
        const data: object[] = [];
        for await (const item of noun.list(offizin)) data.push(item);
        output.answer({ data }, noun.columns);
      }),
    );
    const show = command.command('show').description('show one by its id').argument('<id>');
    byKeyOrOperator(show, noun.reads).action((id: string, access: NounAccess) =>
      withClient(access, async (offizin) => output.answer(await noun.show(offizin, id))),
    );
    const revoke = command.command('revoke').description(noun.revoke.description).argument('<id>');
    byKeyOrOperator(revoke, noun.writes).action((id: string, access: NounAccess) =>
      withClient(access, async (offizin) => {
        await noun.revoke.run(offizin, id);
        output.answer({ revoked: id });
      }),
    );
    return [name, command];
  });
  return Object.fromEntries(added) as NounCommands;
}

interface WebhookOptions extends NounAccess {
  events?: string;
  description?: string;
}

export function addWebhookCreation(
  webhooks: Command,
  withClient: WithClient,
  { output, eventTypesOf }: { output: Output; eventTypesOf: (list: string) => EventType[] },
): void {
  const command = webhooks
    .command('create')
    .description('subscribe an address; the secret is printed this once')
    .option('--events <list>', 'kinds with commas between; all unless given')
    .option('--description <text>', 'for people')
    .argument('<url>');
  byKeyOrOperator(command, API_NOUNS.webhooks.writes).action((url: string, options: WebhookOptions) => {
    const { events, description, ...access } = options;
    const event_types = events === undefined ? undefined : eventTypesOf(events);
    return withClient(access, async ({ webhooks: api }) =>
      output.answer(await api.create({ url, event_types, description })),
    );
  });
}
