import { readQuery } from './promql';

it('finds metrics, labels, groups and functions of counters', async () => {
  const query = await readQuery(
    'sum by (app, le) (rate(offizin_a_bucket{status=~"5..",app="$app"}[5m])) > 1 and absent(offizin_b)',
  );
  expect(query).toEqual({
    mistakes: [],
    selectors: [
      { metric: 'offizin_a_bucket', labels: ['status', 'app'], asCounter: true },
      { metric: 'offizin_b', labels: [], asCounter: false },
    ],
    groupedBy: ['app', 'le'],
  });
});

it.each(['sum(rate(offizin_a[5m])', 'offizin_a{', 'offizin_a >', 'rate(offizin_a[5 minutes])', 'by (app)'])(
  'refuses %s',
  async (text) => {
    expect((await readQuery(text)).mistakes).not.toEqual([]);
  },
);
