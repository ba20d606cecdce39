import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { queryAt } from '@offizin/local-stack/database-client';
import { describedEventTypes } from '@offizin/contracts/webhooks/event-descriptions';

/**
 * Compares delivered events with the catalogue: the kind must exist, and the metadata must match without extra
 * fields. So an undescribed field fails here, although receivers must ignore unknown fields.
 */
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
const validators = new Map<string, ValidateFunction>(
  describedEventTypes().map(({ event_type, schema }) => [event_type, ajv.compile(closed(schema))]),
);

/** The differences from the description, in one line, or null. */
export function mistakeInEvent(event: unknown): string | null {
  const kind = String((event as { event_type?: unknown } | null)?.event_type);
  const validate = validators.get(kind);
  if (!validate) return `${kind}: the catalogue has no such kind`;
  return validate(event) ? null : `${kind}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(event)}`;
}

/** All events in a stack's webhook-worker database: how many of each kind, and their mistakes. */
export async function eventsOfStack(
  databaseUrl: string,
): Promise<{ counts: Record<string, number>; mistakes: string[] }> {
  const rows = await queryAt<{ body: string }>(databaseUrl, 'SELECT body FROM webhooks.events');
  const counts: Record<string, number> = {};
  const mistakes = new Set<string>();
  for (const { body } of rows) {
    const event = JSON.parse(body) as { event_type: string };
    counts[event.event_type] = (counts[event.event_type] ?? 0) + 1;
    const mistake = mistakeInEvent(event);
    if (mistake !== null) mistakes.add(mistake);
  }
  return { counts, mistakes: [...mistakes] };
}

function closed(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = schema['properties'] as Record<string, Record<string, unknown>>;
  const metadata = { ...properties['metadata'], additionalProperties: false };
  return { ...schema, properties: { ...properties, metadata }, additionalProperties: false };
}
