import { documentOf, type DocumentState, isComplete, NO_DOCUMENT } from './document-state';

const state = (more: Partial<DocumentState>): DocumentState => ({ ...NO_DOCUMENT, ...more });
const read = { version: 2, text: 'Privatrezept' };

it('is complete when it is drawn and its text has been compared, in either order', () => {
  expect(isComplete(NO_DOCUMENT, 2)).toBe(false);
  expect(isComplete(state({ paintedVersion: 2 }), 2)).toBe(false);
  expect(isComplete(state({ read }), 2)).toBe(false);
  expect(isComplete(state({ paintedVersion: 2, read }), 2)).toBe(true);
});

it('is complete when it is broken: nothing more will come', () => {
  expect(isComplete(state({ brokenVersion: 2 }), 2)).toBe(true);
});

it('counts as broken when it is late, until it comes', () => {
  const late = state({ lateVersion: 2 });
  expect([documentOf(late, 2), isComplete(late, 2)]).toEqual(['broken', true]);
  expect(documentOf({ ...late, read }, 2)).toBe('broken');
  expect(documentOf({ ...late, read, paintedVersion: 2 }, 2)).toEqual({ text: 'Privatrezept' });
});

it('stays broken when its text arrives after a page that cannot be drawn', () => {
  expect(documentOf(state({ brokenVersion: 2, read }), 2)).toBe('broken');
});

it('gives nothing of the document of another version', () => {
  const older = state({ paintedVersion: 2, read });
  expect([documentOf(older, 3), isComplete(older, 3)]).toEqual(['unread', false]);
  const broken = state({ brokenVersion: 2 });
  expect([documentOf(broken, 3), isComplete(broken, 3)]).toEqual(['unread', false]);
  expect(documentOf(older, 2)).toEqual({ text: 'Privatrezept' });
});
