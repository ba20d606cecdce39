import { type Look, LOOK_MS, progressOf } from './armed';

const LOOKS: readonly Look[] = ['loading', 'hidden', 'fresh', 'seen'];

it('is armed only when all parts have been seen', () => {
  for (const review of LOOKS)
    for (const lines of LOOKS)
      for (const document of LOOKS) {
        const isSeen = [review, lines, document].every((look) => look === 'seen');
        expect([review, lines, document, progressOf(review, lines, document) === 'armed']).toEqual([
          review,
          lines,
          document,
          isSeen,
        ]);
      }
});

it('needs review and lines alone when there is no document', () => {
  expect(LOOKS.map((review) => progressOf(review, 'seen', null))).toEqual([
    'loading',
    'review-unseen',
    'fresh',
    'armed',
  ]);
});

it('names the other pane as missing once the present one has been seen', () => {
  expect(progressOf('hidden', 'seen', 'loading')).toBe('loading');
  expect(progressOf('hidden', 'seen', 'fresh')).toBe('fresh');
  expect(progressOf('hidden', 'seen', 'seen')).toBe('review-unseen');
  expect(progressOf('fresh', 'seen', 'hidden')).toBe('fresh');
  expect(progressOf('seen', 'seen', 'hidden')).toBe('document-unseen');
  expect(progressOf('seen', 'seen', 'fresh')).toBe('fresh');
});

it('names the lines as missing before the document', () => {
  expect(progressOf('hidden', 'hidden', 'seen')).toBe('review-unseen');
  expect(progressOf('seen', 'hidden', 'hidden')).toBe('lines-unseen');
  expect(progressOf('seen', 'hidden', null)).toBe('lines-unseen');
  expect(progressOf('seen', 'fresh', 'hidden')).toBe('fresh');
});

it('takes longer than a second press of the same key', () => {
  expect(LOOK_MS).toBeGreaterThanOrEqual(1_000);
});
