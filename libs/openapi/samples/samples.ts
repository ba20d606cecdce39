import { curlSample } from './curl-sample';
import { type Description, describedCall, type FilledIn } from './described-call';
import { pythonSample } from './python-sample';
import { typescriptSample } from './typescript-sample';

export const SAMPLE_LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

/**
 * How the operation is called in each language; null for what the description does not have. Secrets come from the
 * environment: TOKEN or API_KEY, at a shop SHOP_URL and INTEGRATION_KEY. Words in capitals are the reader's to replace.
 */
export function samplesOf(
  description: Description,
  path: string,
  method: string,
  filledIn: FilledIn = {},
): Record<SampleLanguage, string> | null {
  const call = describedCall(description, path, method, filledIn);
  if (!call) return null;
  const baseUrl = description.servers[0]?.url ?? '';
  return {
    curl: curlSample(call, baseUrl),
    TypeScript: typescriptSample(call, baseUrl),
    Python: pythonSample(call, baseUrl),
  };
}
