import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that still come are read and thrown away for so long: closing at once could cost the caller the answer. */
const DISCARD_MS = 2_000;

/** The last answer of a connection that has no request to answer, and then its end. */
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

/** Takes the connection from Node.js' parser and ends it, at the latest after two seconds. */
function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), DISCARD_MS);
  socket.once('close', () => clearTimeout(timer));
}
