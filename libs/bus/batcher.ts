import { endOfTick } from '@offizin/runtime/tick-batch';
import type { Frame } from './wire-format';

/** A message goes to one replica, and the load should spread. */
const MAX_FRAMES = 64;
/**
 * A fuller message takes no further frame. Node.js reads this much together; assembling a longer one costs more garbage
 * collection.
 */
const FULL_BYTES = 64 * 1024;

/** Sends the frames of a tick for one address in one message. A frame never waits for others. */
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
    // A new Map, not clear(): V8 retains later tables once one is promoted (decision 0026).
    this.collected = new Map();
    for (const [to, { frames }] of collected) this.send(to, frames);
  }
}
