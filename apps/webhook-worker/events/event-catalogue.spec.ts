import { ALL_EVENT_TYPES, WebhookEvent } from '@offizin/contracts/events';
import { validate } from '@offizin/runtime/validate';
import { describedEventTypes } from './event-catalogue';

describe('the kinds of events', () => {
  const described = describedEventTypes();

  it('are described without exception, once each', () => {
    expect(described.map(({ event_type }) => event_type).sort()).toEqual([...ALL_EVENT_TYPES].sort());
  });

  it.each(described)('show an example of $event_type that is such an event', ({ event_type, example }) => {
    expect(validate(WebhookEvent, example)).toMatchObject({ event_type });
  });

  it.each(described)('name in the schema of $event_type what its example holds', ({ schema, example }) => {
    expect(schema).toMatchObject({
      properties: {
        event_type: { const: example.event_type },
        metadata: { required: Object.keys(example.metadata) },
      },
    });
  });
});
