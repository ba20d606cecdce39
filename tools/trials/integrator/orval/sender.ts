import { given } from '../walk';

/** Behind every function that orval generates: adds the address, and reads the answer. */
export async function send<Answer>(path: string, options: RequestInit): Promise<Answer> {
  const base = path.startsWith('/api/v1/external-order') ? 'OFFIZIN_SHOP_URL' : 'OFFIZIN_URL';
  const response = await fetch(given(base) + path, options);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const data: unknown = isJson ? await response.json() : await response.text();
  return { data, status: response.status, headers: response.headers } as Answer;
}
