import { DatabaseError } from 'pg';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { MicroBatches } from './micro-batches';

function refused(text: string): DatabaseError {
  return Object.assign(new DatabaseError(text, text.length, 'error'), { code: '22003' });
}

function held(isLarge?: (member: string) => boolean, sharesKeys = false) {
  const runs: { members: string[]; end: (error?: Error) => void }[] = [];
  const batches = new MicroBatches<string, string>({
    keyOf: (member) => member.slice(0, 1),
    sharesKeys,
    ...(isLarge && { isLarge }),
    run: (members) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(members.map((m) => `did ${m}`)));
        runs.push({ members, end });
      }),
  });
  return { batches, runs };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

it('runs a single member immediately, and members of one tick together', async () => {
  const { batches, runs } = held();
  const alone = batches.submit('a');
  await turn();
  expect(runs.map(({ members }) => members)).toEqual([['a']]);
  const both = [batches.submit('b'), batches.submit('c')];
  await turn();
  expect(runs.map(({ members }) => members)).toEqual([['a'], ['b', 'c']]);
  runs.forEach(({ end }) => end());
  expect(await Promise.all([alone, ...both])).toEqual(['did a', 'did b', 'did c']);
});

it('runs the members that wait for a slot together, in order of arrival', async () => {
  const { batches, runs } = held();
  const answers: Promise<string>[] = [];
  for (const member of ['a', 'b', 'c', 'd', 'e', 'f']) {
    answers.push(batches.submit(member));
    await turn();
  }
  expect(runs.map(({ members }) => members)).toEqual([['a'], ['b'], ['c']]);
  runs[1]?.end();
  await turn();
  expect(runs[3]?.members).toEqual(['d', 'e', 'f']);
  runs.forEach(({ end }) => end());
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((member) => `did ${member}`));
});

it('never runs two members of one key concurrently, and keeps their order', async () => {
  const { batches, runs } = held();
  const answers = ['a1', 'a2', 'b1', 'a3'].map((member) => batches.submit(member));
  await turn();
  expect(runs.map(({ members }) => members)).toEqual([['a1', 'b1']]);
  for (let run = 0; run < 3; run++) {
    runs[run]?.end();
    await turn();
  }
  expect(runs.map(({ members }) => members)).toEqual([['a1', 'b1'], ['a2'], ['a3']]);
  expect(await Promise.all(answers)).toEqual(['did a1', 'did a2', 'did b1', 'did a3']);
});

it('lets members of one key share a batch where that is wanted, but never two batches', async () => {
  const { batches, runs } = held(undefined, true);
  const answers = ['a1', 'a2', 'b1', 'a3'].map((member) => batches.submit(member));
  await turn();
  answers.push(...['a4', 'c1', 'a5'].map((member) => batches.submit(member)));
  await turn();
  expect(runs.map(({ members }) => members)).toEqual([['a1', 'a2', 'b1', 'a3'], ['c1']]);
  runs[0]?.end();
  await turn();
  expect(runs.map(({ members }) => members).slice(2)).toEqual([['a4', 'a5']]);
  runs.forEach(({ end }) => end());
  expect(await Promise.all(answers)).toHaveLength(7);
});

it('runs a large member alone, and keeps the order of its key', async () => {
  const { batches, runs } = held((member) => member.endsWith('large'));
  const members = ['a1', 'b large', 'b2', 'c1', 'd large', 'e1'];
  const answers = members.map((member) => batches.submit(member));
  await turn();
  expect(runs.map((run) => run.members)).toEqual([['a1', 'c1', 'e1'], ['b large'], ['d large']]);
  for (const { end } of runs.splice(0)) end();
  await turn();
  expect(runs.map((run) => run.members)).toEqual([['b2']]);
  runs.forEach(({ end }) => end());
  expect(await Promise.all(answers)).toEqual(members.map((member) => `did ${member}`));
});

it.each([
  ['the database refuses a batch', refused('out of range')],
  ['a rule refuses one of a batch', new Refused('conflict', 'out of range')],
])('gives each its own answer or error when %s', async (_, error) => {
  const tried: string[][] = [];
  const batches = new MicroBatches<string, string>({
    keyOf: (member) => member,
    run: (members) => {
      tried.push(members);
      return members.includes('bad')
        ? Promise.reject(error)
        : Promise.resolve(members.map((member) => `did ${member}`));
    },
  });
  const answers = await Promise.allSettled(['x', 'bad', 'y'].map((member) => batches.submit(member)));
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: 'did x' },
    { status: 'rejected', reason: { message: 'out of range' } },
    { status: 'fulfilled', value: 'did y' },
  ]);
  expect(tried).toEqual([['x', 'bad', 'y'], ['x'], ['bad'], ['y']]);
});

it.each([
  new Unreachable('service_unavailable', 'gone'),
  Object.assign(refused('canceled'), { code: '57014' }),
  new Error('a defect'),
])('does not repeat what may have happened or takes too long: %s', async (error) => {
  const { batches, runs } = held();
  const answers = ['a', 'b'].map((member) => batches.submit(member));
  await turn();
  runs[0]?.end(error);
  expect(await Promise.allSettled(answers)).toMatchObject([{ reason: error }, { reason: error }]);
  const later = batches.submit('a');
  await turn();
  expect(runs.map(({ members }) => members)).toEqual([['a', 'b'], ['a']]);
  runs[1]?.end();
  expect(await later).toBe('did a');
});

it('rejects waiting members immediately when the database is unavailable', async () => {
  const { batches, runs } = held();
  const answers: Promise<string>[] = [];
  for (const member of ['a', 'b', 'c', 'd']) {
    answers.push(batches.submit(member));
    await turn();
  }
  const told = Promise.allSettled([answers[0], answers[3]]);
  runs[0]?.end(new Unreachable('service_unavailable', 'away'));
  expect((await told).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs.map(({ members }) => members)).toEqual([['a'], ['b'], ['c']]);
  for (const { end } of runs.slice(1)) end();
  expect(await Promise.all(answers.slice(1, 3))).toEqual(['did b', 'did c']);
});
