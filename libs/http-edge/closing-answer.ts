import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Closing at once could reset the connection and lose the answer. */
const DISCARD_MS = 2_000;

/** Writes an answer that belongs to no parsed request. */
export function answerAndClose(
  socket: Socket,
  { status, body, headers }: { status: number; body: object; headers: Record<string, string> },
): void {
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
  discardInput(socket);
}

/** Detaches the connection from Node.js' parser. */
function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), DISCARD_MS);
  socket.once('close', () => clearTimeout(timer));
}
