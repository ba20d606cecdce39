/**
 * Decisions without an answer when the page was left, noted for the next page of this tab, which asks the server for
 * them. The note has ids only: no names, no health data.
 */
export interface LeftBehind {
  /** Who decided. */
  staffId: string;
  screen: string;
  /** Of the object. */
  id: string;
  /** Fields that the object has once the server has taken the decision. */
  becomes: Readonly<Record<string, string>>;
}

/** Where notes are kept; a spec gives its own. */
export type Notes = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'offizin-left-behind';

export function keepLeft(notes: Notes, left: readonly LeftBehind[]): void {
  if (left.length > 0) notes.setItem(KEY, JSON.stringify([...readLeft(notes), ...left]));
}

/** The notes of this person about this screen, once. Those of another person are dropped. */
export function takeLeft(notes: Notes, staffId: string, screen: string): LeftBehind[] {
  const own = readLeft(notes).filter((each) => each.staffId === staffId);
  notes.removeItem(KEY);
  keepLeft(
    notes,
    own.filter((each) => each.screen !== screen),
  );
  return own.filter((each) => each.screen === screen);
}

/** The screens with notes of this person that were not shown yet. */
export function screensOfLeft(notes: Notes, staffId: string): string[] {
  const own = readLeft(notes).filter((each) => each.staffId === staffId);
  return [...new Set(own.map(({ screen }) => screen))];
}

/** Whether the object is what the decision makes of it. */
export function isTaken({ becomes }: LeftBehind, object: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(becomes).every(([field, value]) => object[field] === value);
}

function readLeft(notes: Notes): LeftBehind[] {
  try {
    const kept: unknown = JSON.parse(notes.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isNote) : [];
  } catch {
    return [];
  }
}

function isNote(value: unknown): value is LeftBehind {
  if (typeof value !== 'object' || value === null) return false;
  const note: Partial<Record<keyof LeftBehind, unknown>> = value;
  const hasTexts = [note.staffId, note.screen, note.id].every((text) => typeof text === 'string');
  return hasTexts && typeof note.becomes === 'object' && note.becomes !== null;
}
