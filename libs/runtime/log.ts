import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { GatheredLines, LogOutput } from './log-output';
import { isTracingWanted, traceFields } from './tracing';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/**
 * One wide line per request, message and attempt, written asynchronously and flushed at exit. No personal data:
 * callers log ids, codes and durations; `redacted` is a safety net.
 */
export const log: Logger = pino(
  {
    // readConfig reports an unknown level, together with every other mistake.
    level: LOG_LEVELS.find((level) => level === process.env['LOG_LEVEL']) ?? 'info',
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // With tracing enabled, each line written during a request carries its trace id.
    ...(isTracingWanted(process.env) && { mixin: () => traceFields() }),
    formatters: { log: redacted },
  },
  new GatheredLines(new LogOutput(1)),
);

/** Fields of an error for a log line; never SQL parameters or a request body. */
export function errorFields(error: unknown): {
  error: { name: string; message: string; code?: string; stack?: string };
} {
  if (!(error instanceof Error)) return { error: { name: 'thrown', message: String(error) } };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: { name: error.name, message: error.message, code, stack: error.stack } };
}

/** Routes Nest's messages to the same log. */
export class NestLog implements LoggerService {
  log(message: unknown, context?: unknown): void {
    log.debug({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    log.warn({ context }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    log.error({ details: details.map(String) }, String(message));
  }

  fatal(message: unknown, ...details: unknown[]): void {
    log.fatal({ details: details.map(String) }, String(message));
  }
}

const REDACTED = '[Redacted]';
const SECRETS = new Set(['authorization', 'apikey', 'x-api-key', 'cookie']);
/** Levels below the fields of a line, as in `headers.authorization`. */
const DEPTH = 1;

/**
 * Replaces values of fields that may hold a secret, at the top level and one level below. Returns the same object
 * when nothing matches. Used instead of pino's `redact`, whose wildcards copy each value.
 */
export function redacted(fields: Record<string, unknown>, depth = DEPTH): Record<string, unknown> {
  let clean = fields;
  for (const name in fields) {
    const value = fields[name];
    const safe = SECRETS.has(name)
      ? REDACTED
      : depth > 0 && isObject(value)
        ? redacted(value, depth - 1)
        : value;
    if (safe === value) continue;
    if (clean === fields) clean = { ...fields };
    clean[name] = safe;
  }
  return clean;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
