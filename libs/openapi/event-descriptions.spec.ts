import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { describedEventTypes } from '@offizin/contracts/webhooks/event-descriptions';
import { ALL_EVENT_TYPES, type WebhookEvent } from '@offizin/contracts/webhooks/events';
import { openApiDocument } from './document';

const ajv = addFormats(new Ajv2020({ strict: true, strictTypes: false, allErrors: true }));
const described = describedEventTypes();
/** Metadata that not every event of the kind has. */
const OPTIONAL = new Map([['order_updated', ['changed']]]);
const requiredIn = ({ event_type, metadata }: WebhookEvent): string[] =>
  Object.keys(metadata).filter((name) => !OPTIONAL.get(event_type)?.includes(name));

it('describes every kind of event once, in the order of the list', () => {
  expect(described.map(({ event_type }) => event_type)).toEqual(ALL_EVENT_TYPES);
});

it.each(described)('shows a valid example of $event_type', ({ schema, example }) => {
  const validate = ajv.compile(schema);
  validate(example);
  expect(validate.errors ?? []).toEqual([]);
  expect(schema).toMatchObject({
    properties: {
      event_type: { const: example.event_type },
      metadata: { required: requiredIn(example) },
    },
  });
});

it.each(described)('requires all metadata of $event_type', ({ schema, example }) => {
  const required = requiredIn(example);
  for (const name of Object.keys(example.metadata)) {
    const metadata = Object.fromEntries(Object.entries(example.metadata).filter(([other]) => other !== name));
    expect([name, ajv.validate(schema, { ...example, metadata })]).toEqual([name, !required.includes(name)]);
  }
});

it.each(described)('matches the OpenAPI description of $event_type', ({ event_type, schema, example }) => {
  const { webhooks } = openApiDocument() as { webhooks: Record<string, unknown> };
  const { metadata } = schema['properties'] as Record<string, unknown>;
  const body = {
    allOf: [expect.anything(), { properties: { event_type: { const: event_type }, metadata } }],
  };
  expect(webhooks[event_type]).toMatchObject({
    post: { requestBody: { content: { 'application/json': { schema: body, example } } } },
  });
});
