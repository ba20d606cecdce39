import { errors, request } from 'undici';
import { type Finding, ok, problem, warning } from './finding';
import type { Installation } from './installation';

const LIMIT_MS = 5_000;

interface Readiness {
  problems?: Record<string, string>;
  degraded?: Record<string, string>;
}

function listOf(parts: Record<string, string>): string {
  return Object.entries(parts)
    .map(([part, reason]) => `${part}: ${reason}`)
    .join('; ');
}

/** Checks that a process is alive and ready; `/readyz` names the parts that it cannot reach. */
export async function checkProcess({
  name,
  managementUrl,
}: Installation['processes'][number]): Promise<Finding> {
  try {
    const { statusCode, body } = await request(`${managementUrl}/readyz`, {
      headersTimeout: LIMIT_MS,
      bodyTimeout: LIMIT_MS,
    });
    const { problems = {}, degraded = {} } = (await body.json()) as Readiness;
    if (statusCode === 200 && Object.keys(degraded).length === 0) return ok(name, 'ready');
    if (statusCode === 200)
      return warning(
        name,
        `ready, but degraded (${listOf(degraded)})`,
        'See the table at the beginning of docs/runbook.md.',
      );
    return problem(
      name,
      `not ready (${listOf(problems)})`,
      'Mend what it names; it becomes ready by itself.',
    );
  } catch (error) {
    const hangs = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
    const reason = error instanceof Error ? error.message : String(error);
    const found = hangs
      ? `accepts connections and does not answer within ${LIMIT_MS / 1000} s: it hangs, or is stopped`
      : `does not answer: ${reason}`;
    const deed = hangs ? 'End it with SIGKILL, so that it is started again' : 'Start it';
    return problem(
      name,
      found,
      `${deed}, and look at the end of its log. Management address: ${managementUrl}`,
    );
  }
}
