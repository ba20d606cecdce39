import type { Command } from 'commander';
import type { EventType } from '@offizin/contracts/webhooks/events';
import { Offizin } from '../../../clients/typescript/src/client';
import { type AccessOf, type ApiAccess, byKey } from '../api-access';
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
    columns: ['shop_id', 'name', 'is_active'],
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
export function addApiNouns(program: Command, accessOf: AccessOf, output: Output): NounCommands {
  const added = Object.entries<ApiNoun>(API_NOUNS).map(([name, noun]) => {
    const command = program.command(name).description(noun.description);
    byKey(
      command.command('list').description(`list the ${name} of the organization of the API key`),
      noun.reads,
    ).action(async (access: Partial<ApiAccess>) => {
      const data: object[] = [];
      for await (const item of noun.list(new Offizin(accessOf(access)))) data.push(item);
      output.answer({ data }, noun.columns);
    });
    byKey(command.command('show').description('show one by its id').argument('<id>'), noun.reads).action(
      async (id: string, access: Partial<ApiAccess>) =>
        output.answer(await noun.show(new Offizin(accessOf(access)), id)),
    );
    const revoke = command.command('revoke').description(noun.revoke.description).argument('<id>');
    byKey(revoke, noun.writes).action(async (id: string, access: Partial<ApiAccess>) => {
      await noun.revoke.run(new Offizin(accessOf(access)), id);
      output.answer({ revoked: id });
    });
    return [name, command];
  });
  return Object.fromEntries(added) as NounCommands;
}

interface WebhookOptions extends Partial<ApiAccess> {
  events?: string;
  description?: string;
}

export function addWebhookCreation(
  webhooks: Command,
  accessOf: AccessOf,
  { output, eventTypesOf }: { output: Output; eventTypesOf: (list: string) => EventType[] },
): void {
  const command = webhooks
    .command('create')
    .description('subscribe an address; the secret is printed this once')
    .option('--events <list>', 'kinds with commas between; all unless given')
    .option('--description <text>', 'for people')
    .argument('<url>');
  byKey(command, API_NOUNS.webhooks.writes).action(async (url: string, options: WebhookOptions) => {
    const { events, description } = options;
    const event_types = events === undefined ? undefined : eventTypesOf(events);
    output.answer(await new Offizin(accessOf(options)).webhooks.create({ url, event_types, description }));
  });
}
