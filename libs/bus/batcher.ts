import { endOfTick } from '@offizin/runtime/tick-batch';
import type { Frame } from './wire-format';

/** Bounds the frames of a message: a message goes to one replica, and the load should spread. */
const MAX_FRAMES = 64;
/**
 * A message of this size takes no further frame. Node.js reads 64 KiB at once; the client assembles a longer
 * message in buffers that double, which costs more collection.
 */
const FULL_BYTES = 64 * 1024;

/**
 * Sends the frames for one address in one message per tick, so that the broker and both ends handle one message
 * instead of one per call. A single frame leaves at the end of its tick.
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
    // A new Map, not clear(): V8 links a cleared table to its successor. Once such a table is promoted, everything
    // that passed through the later ones stays alive until a full collection (decision 0026).
    this.collected = new Map();
    for (const [to, { frames }] of collected) this.send(to, frames);
  }
}
