import { randomBytes } from 'node:crypto';
import { receiversOf, type Sender, SENDERS } from '@offizin/contracts/calls/call-rights';
import { type CallKeysText, readCallKeys } from '@offizin/runtime/call-keys';

/** Keys of all pairs by `<sender>><receiver>`: one each, two during a rotation. */
export type CallKeyPairs = Record<string, string[]>;

export function newCallKeys(): CallKeyPairs {
  const pairs = SENDERS.flatMap((sender) => receiversOf[sender].map((receiver) => pairOf(sender, receiver)));
  return Object.fromEntries(pairs.map((pair) => [pair, [newKey()]]));
}

/** The setting CALL_KEYS of a process: the keys of its own pairs only. */
export function callKeysOf(process: Sender, pairs: CallKeyPairs): string {
  const keysOf = (pair: string): string[] => pairs[pair] ?? [];
  const senders = SENDERS.filter((sender) => receiversOf[sender].some((receiver) => receiver === process));
  const text: CallKeysText = {
    out: Object.fromEntries(receiversOf[process].map((to) => [to, keysOf(pairOf(process, to))])),
    in: Object.fromEntries(senders.map((from) => [from, keysOf(pairOf(from, process))])),
  };
  return JSON.stringify(text);
}

/** Inverse of `callKeysOf`: all pairs from the settings of all processes. */
export function pairsOf(settingOf: (process: Sender) => string): CallKeyPairs {
  return Object.fromEntries(
    SENDERS.flatMap((sender) =>
      Object.entries(readCallKeys(settingOf(sender)).out).map(([receiver, keys]) => [
        pairOf(sender, receiver),
        keys,
      ]),
    ),
  );
}

/** Steps of a rotation, in this order, with a complete roll-out after each. */
export const ROTATION_STEPS = ['add', 'switch', 'drop'] as const;
export type RotationStep = (typeof ROTATION_STEPS)[number];

/**
 * `add`: the new keys are accepted. `switch`: they sign. `drop`: the old ones are removed. Throws for a step out
 * of order. `newOne` makes the key of a pair, from the pair and its present key.
 */
export function rotated<Name extends string>(
  pairs: Record<Name, string[]>,
  step: RotationStep,
  newOne: (pair: Name, present: string) => string = newKey,
): Record<Name, string[]> {
  const entries = Object.entries<string[]>(pairs) as [Name, string[]][];
  return Object.fromEntries(
    entries.map(([pair, [first, second]]) => {
      if (first === undefined || (second === undefined) !== (step === 'add'))
        throw new Error(`${step} is not the next step: ${pair} has ${second === undefined ? 1 : 2} keys`);
      if (second === undefined) return [pair, [first, newOne(pair, first)]];
      return [pair, step === 'switch' ? [second, first] : [first]];
    }),
  ) as Record<Name, string[]>;
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function pairOf(sender: Sender, receiver: string): string {
  return `${sender}>${receiver}`;
}
