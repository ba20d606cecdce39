import { Option } from 'commander';

/** An installation's organization API, and a key to it. */
export interface ApiAccess {
  baseUrl: string;
  apiKey: string;
}

export function baseUrlOption(): Option {
  return new Option('--base-url <url>', 'the gateway; of the local stack unless given').env(
    'OFFIZIN_BASE_URL',
  );
}

export function apiKeyOption(scope: string): Option {
  return new Option('--api-key <key>', `with scope ${scope}; the demo's unless given`).env('OFFIZIN_API_KEY');
}
