import { DenoBuffer } from 'nats/lib/nats-base-client/denobuffer';
import { Parser } from 'nats/lib/nats-base-client/parser';

/**
 * Mends what the client (nats 2.29.3) does with a message that comes in several reads, as most above some 20 KB do: it puts
 * it together in buffers that double, up to three times as long as the message. V8 counts that memory, and collected the
 * whole heap every 200 answers of 22 KB. Here the rest of a message goes where all of it has room.
 */
export function sizeSplitMessages(): void {
  const parse = Reflect.get(Parser.prototype, 'parse');
  Parser.prototype.parse = function parseWithRoom(this: Parser, bytes: Uint8Array): void {
    parse.call(this, bytes);
    const begun = this.msgBuf;
    if (begun && begun.capacity < this.ma.size) this.msgBuf = withRoom(begun, this.ma.size);
  };
}

function withRoom(begun: DenoBuffer, size: number): DenoBuffer {
  const whole = new Uint8Array(size);
  whole.set(begun.bytes({ copy: false }));
  const roomy = new DenoBuffer();
  // What is written to it fits: it takes the rest of the memory under the view.
  roomy._buf = whole.subarray(0, begun.length);
  return roomy;
}
