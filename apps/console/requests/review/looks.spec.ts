import {
  documentOf,
  type DocumentState,
  hasSeenPages,
  isComplete,
  type Look,
  LOOK_MS,
  NO_DOCUMENT,
  papersOf,
  progressOf,
  textOfAll,
  withPageSeen,
} from './looks';

describe('looks', () => {
  const LOOKS: readonly Look[] = ['loading', 'hidden', 'fresh', 'seen'];

  it('is armed only when all parts have been seen', () => {
    for (const review of LOOKS)
      for (const lines of LOOKS)
        for (const document of LOOKS) {
          const isSeen = [review, lines, document].every((look) => look === 'seen');
          expect([review, lines, document, progressOf(review, lines, document, null) === 'armed']).toEqual([
            review,
            lines,
            document,
            isSeen,
          ]);
        }
  });

  it('needs review and lines alone when there is no document', () => {
    expect(LOOKS.map((review) => progressOf(review, 'seen', null, null))).toEqual([
      'loading',
      'review-unseen',
      'fresh',
      'armed',
    ]);
  });

  it('names the other pane as missing once the present one has been seen', () => {
    expect(progressOf('hidden', 'seen', 'loading', null)).toBe('loading');
    expect(progressOf('hidden', 'seen', 'fresh', null)).toBe('fresh');
    expect(progressOf('hidden', 'seen', 'seen', null)).toBe('review-unseen');
    expect(progressOf('fresh', 'seen', 'hidden', null)).toBe('fresh');
    expect(progressOf('seen', 'seen', 'hidden', null)).toBe('document-unseen');
    expect(progressOf('seen', 'seen', 'fresh', null)).toBe('fresh');
  });

  it('names the lines as missing before the document', () => {
    expect(progressOf('hidden', 'hidden', 'seen', null)).toBe('review-unseen');
    expect(progressOf('seen', 'hidden', 'hidden', null)).toBe('lines-unseen');
    expect(progressOf('seen', 'hidden', null, null)).toBe('lines-unseen');
    expect(progressOf('seen', 'fresh', 'hidden', null)).toBe('fresh');
  });

  it('names the further pages as missing last', () => {
    expect(progressOf('seen', 'seen', 'seen', 'pages-unseen')).toBe('pages-unseen');
    expect(progressOf('seen', 'seen', 'hidden', 'pages-unseen')).toBe('document-unseen');
    expect(progressOf('seen', 'seen', 'fresh', 'pages-unseen')).toBe('fresh');
  });

  it('names the pieces of the paper as missing once review and document have been seen', () => {
    expect(progressOf('seen', 'seen', 'seen', 'crops-unseen')).toBe('crops-unseen');
    expect(progressOf('seen', 'seen', 'seen', 'loading')).toBe('loading');
    expect(progressOf('seen', 'seen', 'hidden', 'crops-unseen')).toBe('document-unseen');
  });

  it('takes longer than a second press of the same key', () => {
    expect(LOOK_MS).toBeGreaterThanOrEqual(1_000);
  });
});

describe('a document', () => {
  const state = (more: Partial<DocumentState>): DocumentState => ({ ...NO_DOCUMENT, ...more });
  const read = { text: 'Privatrezept' };

  it('is complete when it is drawn and its text has been compared, in either order', () => {
    expect(isComplete(NO_DOCUMENT)).toBe(false);
    expect(isComplete(state({ isPainted: true }))).toBe(false);
    expect(isComplete(state(read))).toBe(false);
    expect(isComplete(state({ isPainted: true, ...read }))).toBe(true);
  });

  it('is complete when it is broken: nothing more will come', () => {
    for (const failed of ['broken', 'locked'] as const) expect(isComplete(state({ failed }))).toBe(true);
  });

  it('counts as late, not as broken, until it comes', () => {
    const late = state({ isLate: true });
    expect([documentOf(late), isComplete(late)]).toEqual(['late', true]);
    expect(documentOf({ ...late, ...read })).toBe('late');
    expect(documentOf({ ...late, ...read, isPainted: true })).toEqual(read);
  });

  it('stays broken when its text arrives after a page that cannot be drawn', () => {
    expect(documentOf(state({ failed: 'broken', ...read }))).toBe('broken');
  });

  it('gives its text to the checks with that of the others, or why one of them has none', () => {
    const [first, second] = [state(read), state({ text: 'Ibuprofen' })];
    expect(textOfAll([first, second])).toEqual({ text: 'Privatrezept\fIbuprofen' });
    expect(textOfAll([first, NO_DOCUMENT])).toBe('unread');
    expect(textOfAll([NO_DOCUMENT, state({ failed: 'locked' }), first])).toBe('locked');
  });

  it('is open with the others until nothing more will come', () => {
    const part = { number: 1 } as NonNullable<DocumentState['paper']>;
    const isOpen = (...states: DocumentState[]): boolean => papersOf(states).isOpen;
    expect(isOpen(state({ failed: 'locked' }), NO_DOCUMENT)).toBe(true);
    expect(isOpen(state({ failed: 'locked' }), state({ paper: part }))).toBe(true);
    expect(isOpen(state({ failed: 'locked' }), state({ paper: part, ...read }))).toBe(false);
    expect(isOpen(state({ failed: 'locked' }), state({ isLate: true }))).toBe(false);
    expect(papersOf([NO_DOCUMENT, state({ paper: part })]).papers).toEqual([part]);
  });

  it('has been seen when each of its pages has', () => {
    const opened = state({ isPainted: true, ...read, pages: { count: 3, seen: [1] } });
    expect(hasSeenPages(opened)).toBe(false);
    const twice = withPageSeen(withPageSeen(opened, 1), 3);
    expect(hasSeenPages(twice)).toBe(false);
    expect(hasSeenPages(withPageSeen(twice, 2))).toBe(true);
    expect(hasSeenPages({ ...opened, pages: { count: 1, seen: [] } })).toBe(true);
  });
});
