import { v7, validate } from 'uuid';

/** A new id: UUIDv7, time-ordered, so that rows of one time stand together in an index. */
export function newId(): string {
  return v7();
}

/** True for text that can be an id; anything else is answered like an unknown one, before SQL sees it. */
export function isId(text: string): boolean {
  return validate(text);
}
