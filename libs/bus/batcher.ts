import { endOfTick } from '@offizin/runtime/tick-batch';
import type { Frame } from './wire-format';

/** Frames of a message at most: a message goes to one replica, and the others are to have some, too. */
const MAX_FRAMES = 64;
/**
 * A message that has as much takes no further frame. Node.js reads 64 KiB at once, and the client puts a longer message
 * together in buffers that double: at 128 KiB the gateway took 15 to 25 % more for lists, collecting them.
 */
const FULL_BYTES = 64 * 1024;

/**
 * What goes to one address in one turn of the event loop leaves in one message: the broker and both ends then handle
 * one message, not one for each call. Nobody waits for others to come: a call alone leaves at the end of its turn.
 */
export class FrameBatcher<F extends Frame> {
  private collected = new Map<string, { frames: F[]; bytes: number }>();

  constructor(private readonly send: (to: string, frames: F[]) => void) {}

  add(to: string, frame: F): void {
    const bytes = frame.head.length + frame.body.length;
    const present = this.collected.get(to);
    if (present && present.frames.length < MAX_FRAMES && present.bytes + bytes <= FULL_BYTES) {
      present.frames.push(frame);
      present.bytes += bytes;
      return;
    }
    if (present) this.send(to, present.frames);
    if (this.collected.size === 0) void endOfTick().then(() => this.flush());
    this.collected.set(to, { frames: [frame], bytes });
  }

  flush(): void {
    const { collected } = this;
    // Not cleared: V8 lets a cleared table point to the one that follows it, and once the first of them is old, all that
    // went through them stays until the whole heap is collected.
    this.collected = new Map();
    for (const [to, { frames }] of collected) this.send(to, frames);
  }
}
