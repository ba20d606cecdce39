import { type Look, LOOK_MS, progressOf } from './armed';

const LOOKS: readonly Look[] = ['loading', 'hidden', 'fresh', 'seen'];

it('is armed only when both parts have been seen', () => {
  for (const review of LOOKS)
    for (const document of LOOKS)
      expect([review, document, progressOf(review, document) === 'armed']).toEqual([
        review,
        document,
        review === 'seen' && document === 'seen',
      ]);
});

it('needs the review alone when there is no document', () => {
  expect(LOOKS.map((review) => progressOf(review, null))).toEqual([
    'loading',
    'review-unseen',
    'fresh',
    'armed',
  ]);
});

it('names the other pane as missing once the present one has been seen', () => {
  expect(progressOf('hidden', 'loading')).toBe('loading');
  expect(progressOf('hidden', 'fresh')).toBe('fresh');
  expect(progressOf('hidden', 'seen')).toBe('review-unseen');
  expect(progressOf('fresh', 'hidden')).toBe('fresh');
  expect(progressOf('seen', 'hidden')).toBe('document-unseen');
  expect(progressOf('seen', 'fresh')).toBe('fresh');
});

it('takes longer than a second press of the same key', () => {
  expect(LOOK_MS).toBeGreaterThanOrEqual(1_000);
});
