import { type Command, Option } from 'commander';
import type { Offizin } from '../../clients/typescript/src/client';

/** An installation's organization API, and a key to it. */
export interface ApiAccess {
  baseUrl: string;
  apiKey: string;
}

/** Completes what the options and the environment lack from the local stack. */
export type AccessOf = (given: Partial<ApiAccess>) => ApiAccess;

export interface NounAccess extends Partial<ApiAccess> {
  /** The organization, named by the operator, who needs no key of it. */
  org?: string;
}

/** Works as the organization of the key, or as the operator for the organization that is named. */
export type WithClient = (access: NounAccess, work: (offizin: Offizin) => Promise<void>) => Promise<void>;

/** The options of `NounAccess`; the key needs this scope. */
export function byKeyOrOperator(command: Command, scope: string): Command {
  return byKey(command, scope).option(
    '--org <id>',
    'organization, for the operator; that of the API key unless given',
  );
}

/** Adds the options of `ApiAccess`; the key needs this scope. */
export function byKey(command: Command, scope: string): Command {
  return command
    .addOption(
      new Option('--base-url <url>', 'the gateway; of the local stack unless given').env('OFFIZIN_BASE_URL'),
    )
    .addOption(
      new Option('--api-key <key>', `with scope ${scope}; the demo's unless given`).env('OFFIZIN_API_KEY'),
    );
}
