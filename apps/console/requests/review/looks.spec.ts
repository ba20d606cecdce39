import {
  documentOf,
  type DocumentState,
  hasSeenPages,
  isComplete,
  type Look,
  LOOK_MS,
  NO_DOCUMENT,
  progressOf,
  withPageSeen,
} from './looks';

describe('looks', () => {
  const LOOKS: readonly Look[] = ['loading', 'hidden', 'fresh', 'seen'];

  it('is armed only when all parts have been seen', () => {
    for (const review of LOOKS)
      for (const lines of LOOKS)
        for (const document of LOOKS) {
          const isSeen = [review, lines, document].every((look) => look === 'seen');
          expect([review, lines, document, progressOf(review, lines, document, true) === 'armed']).toEqual([
            review,
            lines,
            document,
            isSeen,
          ]);
        }
  });

  it('needs review and lines alone when there is no document', () => {
    expect(LOOKS.map((review) => progressOf(review, 'seen', null, true))).toEqual([
      'loading',
      'review-unseen',
      'fresh',
      'armed',
    ]);
  });

  it('names the other pane as missing once the present one has been seen', () => {
    expect(progressOf('hidden', 'seen', 'loading', true)).toBe('loading');
    expect(progressOf('hidden', 'seen', 'fresh', true)).toBe('fresh');
    expect(progressOf('hidden', 'seen', 'seen', true)).toBe('review-unseen');
    expect(progressOf('fresh', 'seen', 'hidden', true)).toBe('fresh');
    expect(progressOf('seen', 'seen', 'hidden', true)).toBe('document-unseen');
    expect(progressOf('seen', 'seen', 'fresh', true)).toBe('fresh');
  });

  it('names the lines as missing before the document', () => {
    expect(progressOf('hidden', 'hidden', 'seen', true)).toBe('review-unseen');
    expect(progressOf('seen', 'hidden', 'hidden', true)).toBe('lines-unseen');
    expect(progressOf('seen', 'hidden', null, true)).toBe('lines-unseen');
    expect(progressOf('seen', 'fresh', 'hidden', true)).toBe('fresh');
  });

  it('names the further pages as missing last', () => {
    expect(progressOf('seen', 'seen', 'seen', false)).toBe('pages-unseen');
    expect(progressOf('seen', 'seen', 'hidden', false)).toBe('document-unseen');
    expect(progressOf('seen', 'seen', 'fresh', false)).toBe('fresh');
  });

  it('takes longer than a second press of the same key', () => {
    expect(LOOK_MS).toBeGreaterThanOrEqual(1_000);
  });
});

describe('the document', () => {
  const state = (more: Partial<DocumentState>): DocumentState => ({ ...NO_DOCUMENT, ...more });
  const read = { version: 2, text: 'Privatrezept' };

  it('is complete when it is drawn and its text has been compared, in either order', () => {
    expect(isComplete(NO_DOCUMENT, 2)).toBe(false);
    expect(isComplete(state({ paintedVersion: 2 }), 2)).toBe(false);
    expect(isComplete(state({ read }), 2)).toBe(false);
    expect(isComplete(state({ paintedVersion: 2, read }), 2)).toBe(true);
  });

  it('is complete when it is broken: nothing more will come', () => {
    for (const why of ['broken', 'locked'] as const)
      expect(isComplete(state({ failed: { version: 2, why } }), 2)).toBe(true);
  });

  it('counts as late, not as broken, until it comes', () => {
    const late = state({ lateVersion: 2 });
    expect([documentOf(late, 2), isComplete(late, 2)]).toEqual(['late', true]);
    expect(documentOf({ ...late, read }, 2)).toBe('late');
    expect(documentOf({ ...late, read, paintedVersion: 2 }, 2)).toEqual({ text: 'Privatrezept' });
  });

  it('stays broken when its text arrives after a page that cannot be drawn', () => {
    expect(documentOf(state({ failed: { version: 2, why: 'broken' }, read }), 2)).toBe('broken');
  });

  it('gives nothing of the document of another version', () => {
    const older = state({ paintedVersion: 2, read });
    expect([documentOf(older, 3), isComplete(older, 3)]).toEqual(['unread', false]);
    const broken = state({ failed: { version: 2, why: 'broken' } });
    expect([documentOf(broken, 3), isComplete(broken, 3)]).toEqual(['unread', false]);
    expect(documentOf(older, 2)).toEqual({ text: 'Privatrezept' });
  });

  it('has been seen when each of its pages has', () => {
    const pages = { version: 2, count: 3, seen: [1] };
    const opened = state({ paintedVersion: 2, read, pages });
    expect(hasSeenPages(opened, 2)).toBe(false);
    const twice = withPageSeen(withPageSeen(opened, 2, 1), 2, 3);
    expect(hasSeenPages(twice, 2)).toBe(false);
    expect(hasSeenPages(withPageSeen(twice, 1, 2), 2)).toBe(false);
    expect(hasSeenPages(withPageSeen(twice, 2, 2), 2)).toBe(true);
    expect(hasSeenPages({ ...opened, pages: { ...pages, count: 1, seen: [] } }, 2)).toBe(true);
  });
});
