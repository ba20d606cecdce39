import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** For specs only: the program that checks proofs, and tampered copies for it. */
export const CHECKER = join(__dirname, '../../../docs/integrate/verify-proof.mjs');

const DRIVER = `
import { readFileSync } from 'node:fs';
const { problemsOf } = await import(${JSON.stringify(pathToFileURL(CHECKER).href)});
const { texts, keys } = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map((text) => problemsOf(text, keys))));
`;

/** The problems of each text, found in one process. */
export async function runChecker(texts: readonly string[], keys: object): Promise<string[][]> {
  const { status, stdout, stderr } = await runNode(
    ['--input-type=module', '-e', DRIVER],
    JSON.stringify({ texts, keys }),
  );
  if (status !== 0) throw new Error(`the checker ended with ${String(status)}: ${stderr}`);
  return JSON.parse(stdout) as string[][];
}

/** Without spawnSync: a process that stops for so long drops its work (libs/runtime/pause-detector.ts). */
export async function runNode(args: readonly string[], input = '') {
  const child = spawn(process.execPath, args);
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
}

/** Every leaf, member and element of the JSON changed, taken away or added, each letter of the signature, and spellings. */
export function tamperedTexts(proof: string): string[] {
  const whole = JSON.parse(proof) as { signature: string };
  const copies = [...tampered(whole)].map((copy) => JSON.stringify(copy));
  const letters = [...whole.signature].map((letter, at) => {
    const signature = whole.signature.slice(0, at) + nextLetter(letter) + whole.signature.slice(at + 1);
    return JSON.stringify({ ...whole, signature });
  });
  const spellings = [
    proof.replace('"status":', '"status":"rejected","status":'),
    proof.replace('"approved"', '"\\u0061pproved"'),
    proof.replace('9.95', '9.950'),
    proof.replace('9.95', '995e-2'),
    `${proof} null`,
    proof.slice(0, -1),
    '',
    'null',
    '[]',
    '{}',
    '7',
  ];
  return [...copies, ...letters, ...spellings];
}

function* tampered(value: unknown): Generator {
  if (Array.isArray(value)) yield* tamperedList(value as unknown[]);
  else if (typeof value === 'object' && value !== null) yield* tamperedObject(value);
  else yield* otherLeaves(value);
}

function* tamperedList(list: unknown[]): Generator {
  yield [...list, null];
  if (list.length > 0) {
    yield list.slice(1);
    yield [...list, list[0]];
  }
  const reversed = [...list].reverse();
  if (JSON.stringify(reversed) !== JSON.stringify(list)) yield reversed;
  for (const [at, element] of list.entries())
    for (const other of tampered(element)) yield list.map((one, index) => (index === at ? other : one));
}

function* tamperedObject(members: object): Generator {
  yield { ...members, added: true };
  const entries = Object.entries(members) as [string, unknown][];
  for (const [name, member] of entries) {
    yield Object.fromEntries(entries.filter(([other]) => other !== name));
    for (const other of tampered(member)) yield { ...members, [name]: other };
  }
}

function* otherLeaves(leaf: unknown): Generator {
  if (leaf !== null) yield null;
  if (typeof leaf === 'string') {
    yield `${leaf} `;
    yield `${leaf.startsWith('x') ? 'y' : 'x'}${leaf.slice(1)}`;
    if (leaf !== '') yield '';
  } else if (typeof leaf === 'number') {
    yield leaf + 1;
    yield String(leaf);
  } else if (typeof leaf === 'boolean') yield !leaf;
  else yield* ['', 0, false];
}

/** Of Base64url; for a dot a letter. */
function nextLetter(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters.charAt((letters.indexOf(letter) + 1) % letters.length);
}
