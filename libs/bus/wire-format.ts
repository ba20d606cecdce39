/** The head is in the payload because the client's headers are expensive. */
export interface Frame {
  head: string;
  body: Uint8Array | string;
}

/** What a frame says before its body; the message's signature covers it (signed-batch.ts). */
export interface CallHead {
  number: number;
  params: Record<string, string>;
  query: string;
  headers: Record<string, string>;
  traceparent: string | null;
}

export interface AnswerHead {
  number: number;
  status: number;
  headers: Record<string, string>;
}

export const LENGTHS_BYTES = 8;

export function packFrames(frames: readonly Frame[]): Buffer {
  const lengths = frames.map(({ head, body }) => [Buffer.byteLength(head), Buffer.byteLength(body)] as const);
  const total = lengths.reduce((sum, [head, body]) => sum + LENGTHS_BYTES + head + body, 0);
  const bytes = Buffer.allocUnsafe(total);
  let at = 0;
  frames.forEach(({ head, body }, index) => {
    const [headBytes, bodyBytes] = lengths[index] ?? [0, 0];
    at = bytes.writeUInt32BE(headBytes, at);
    at = bytes.writeUInt32BE(bodyBytes, at);
    at += bytes.write(head, at);
    if (typeof body === 'string') bytes.write(body, at);
    else bytes.set(body, at);
    at += bodyBytes;
  });
  return bytes;
}

/** Throws if the bytes are not frames. */
export function unpackFrames(data: Uint8Array): { head: string; body: Buffer }[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const frames: { head: string; body: Buffer }[] = [];
  let at = 0;
  while (at < bytes.length) {
    const body = at + LENGTHS_BYTES + bytes.readUInt32BE(at);
    const end = body + bytes.readUInt32BE(at + 4);
    if (end > bytes.length) throw new Error('a bus message ends within a frame');
    frames.push({ head: bytes.toString('utf8', at + LENGTHS_BYTES, body), body: bytes.subarray(body, end) });
    at = end;
  }
  return frames;
}
