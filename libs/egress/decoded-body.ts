import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { EgressAnswer } from './exchange';
import { codeSuffix, EgressFailure } from './failure';

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Storage sends an object in the coding in which it was stored, although requests accept none. Throws EgressFailure: the
 * limit counts after decoding.
 */
export async function decodedBody({ headers, body }: EgressAnswer, maxBytes: number): Promise<Buffer> {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return body;
  const decode = DECODERS.get(coding);
  if (!decode)
    throw new EgressFailure('protocol', 'The answer is compressed, but neither as gzip nor as br.');
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const isLarge = codeSuffix(error).includes('ERR_BUFFER_TOO_LARGE');
    const message = isLarge
      ? `The answer is larger than ${maxBytes} bytes.`
      : `The answer is not valid ${coding}.`;
    throw new EgressFailure('protocol', message, 0, { cause: error });
  }
}
