import { type Command, Option } from 'commander';

/** An installation's organization API, and a key to it. */
export interface ApiAccess {
  baseUrl: string;
  apiKey: string;
}

/** Completes what the options and the environment lack from the local stack. */
export type AccessOf = (given: Partial<ApiAccess>) => ApiAccess;

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
