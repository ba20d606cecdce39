import type { CDPSession, Page } from 'playwright-core';
import { eventually } from '../eventually';

/** An event of Chromium's protocol. */
interface KeyEvent {
  type: 'keyDown' | 'rawKeyDown' | 'keyUp';
  key: string;
  code?: string;
  text?: string;
  modifiers?: number;
  windowsVirtualKeyCode?: number;
}

export type Separator = 'Control+]' | 'F8' | 'Alt 029';
export type End = 'Enter' | 'Tab' | 'CR LF' | 'none';

interface Key {
  key: string;
  code?: string;
  /** What the browser writes. */
  text?: string;
  keyCode?: number;
}

/** Keys that are pressed one after the other while another one is held. */
interface Stroke {
  held?: keyof typeof MODIFIERS;
  keys: readonly Key[];
}

const MODIFIERS = { Alt: { bit: 1, keyCode: 18 }, Control: { bit: 2, keyCode: 17 } } as const;
const CONTROLS: Readonly<Record<string, Stroke>> = {
  '\x04': { held: 'Control', keys: [{ key: 'd', code: 'KeyD' }] },
  '\x1e': { held: 'Control', keys: [{ key: '6', code: 'Digit6' }] },
};
const SEPARATORS: Readonly<Record<Separator, Stroke>> = {
  'Control+]': { held: 'Control', keys: [{ key: ']', code: 'BracketRight' }] },
  F8: { keys: [{ key: 'F8', code: 'F8', keyCode: 119 }] },
  'Alt 029': { held: 'Alt', keys: [...'029'].map(onNumberBlock) },
};
const ENTER: Stroke = { keys: [{ key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' }] };
const ENDS: Readonly<Record<End, readonly Stroke[]>> = {
  Enter: [ENTER],
  Tab: [{ keys: [{ key: 'Tab', code: 'Tab', keyCode: 9 }] }],
  'CR LF': [ENTER, { held: 'Control', keys: [{ key: 'j', code: 'KeyJ' }] }],
  none: [],
};

/** Between two scans: longer than between two keys of one. */
const PAUSE_MS = 100;
/** The browser has the keys before their time: a busy machine delivers none late, as a pause within the scan. */
const LEAD_MS = 500;

interface Sending {
  gapMs?: number;
  separator?: Separator;
  end?: End;
}

/**
 * A scanner as the browser sees one: a keyboard whose keys follow each other after exactly `gapMs`, however busy the
 * machine is. The text may have characters that no key of a US keyboard writes.
 */
export class Wedge {
  /** When the last key was pressed, in milliseconds; scans do not overlap. */
  private atMs = 0;

  private constructor(private readonly session: CDPSession) {}

  static async of(page: Page): Promise<Wedge> {
    return new Wedge(await page.context().newCDPSession(page));
  }

  async scan(
    text: string,
    { gapMs = 2, separator = 'Control+]', end = 'Enter' }: Sending = {},
  ): Promise<void> {
    this.atMs = Math.max(Date.now() + LEAD_MS, this.atMs + PAUSE_MS);
    const strokes = [...text].map((character) => strokeOf(character, separator));
    await Promise.all([...strokes, ...ENDS[end]].flatMap((stroke) => [...this.press(stroke, gapMs)]));
    // What a person presses next is not part of it.
    await eventually('the end of the scan', () => Date.now() > this.atMs + PAUSE_MS);
  }

  /** The browser takes the keys in the order of the calls. */
  private *press({ held, keys }: Stroke, gapMs: number): Generator<Promise<unknown>> {
    const holding = held && {
      key: held,
      code: `${held}Left`,
      windowsVirtualKeyCode: MODIFIERS[held].keyCode,
    };
    if (holding) yield this.send({ ...holding, type: 'rawKeyDown' });
    for (const { text, keyCode, ...key } of keys) {
      this.atMs += gapMs;
      const modifiers = held === undefined ? 0 : MODIFIERS[held].bit;
      const given = { ...key, modifiers, ...(keyCode !== undefined && { windowsVirtualKeyCode: keyCode }) };
      if (text === undefined) yield this.send({ ...given, type: 'rawKeyDown' });
      else yield this.send({ ...given, type: 'keyDown', text });
      yield this.send({ ...given, type: 'keyUp' });
    }
    if (holding) yield this.send({ ...holding, type: 'keyUp' });
  }

  private send(event: KeyEvent): Promise<unknown> {
    return this.session.send('Input.dispatchKeyEvent', { ...event, timestamp: this.atMs / 1_000 });
  }
}

function onNumberBlock(digit: string): Key {
  return { key: digit, code: `Numpad${digit}`, keyCode: 96 + Number(digit) };
}

function strokeOf(character: string, separator: Separator): Stroke {
  if (character === '\x1d') return SEPARATORS[separator];
  return CONTROLS[character] ?? { keys: [{ key: character, text: character }] };
}
