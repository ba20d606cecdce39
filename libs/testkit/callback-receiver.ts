import { createHmac } from 'node:crypto';
import type { CallbackEvent, CallbackEventType } from '@offizin/contracts/callbacks';
import { eventually } from './eventually';
import { type ReceivedWebhook, WebhookReceiver } from './webhook-receiver';

/** A partner's server: what it received, as callback events. */
export class CallbackReceiver {
  private constructor(private readonly server: WebhookReceiver) {}

  static async start(): Promise<CallbackReceiver> {
    return new CallbackReceiver(await WebhookReceiver.start());
  }

  get url(): string {
    return this.server.url;
  }

  answerWith(status: number): void {
    this.server.status = status;
  }

  get received(): readonly ReceivedWebhook[] {
    return this.server.received;
  }

  /** Every event of the request so far, in the order of arrival. */
  eventsOf(requestId: string): CallbackEvent[] {
    return this.received.map(eventOf).filter(({ metadata }) => metadata.id === requestId);
  }

  /** The `nth` delivery of this kind about the request, from 1. */
  async waitFor(type: CallbackEventType, requestId: string, nth = 1): Promise<ReceivedWebhook> {
    return eventually(`${type} of ${requestId}`, () => {
      const fitting = this.received.filter((delivery) => {
        const { event_type, metadata } = eventOf(delivery);
        return event_type === type && metadata.id === requestId;
      });
      return fitting[nth - 1];
    });
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

export function eventOf({ body }: ReceivedWebhook): CallbackEvent {
  return JSON.parse(body.toString()) as CallbackEvent;
}

/** Whether `X-Service-Signature` fits the secret, beside the Standard Webhooks one. */
export function isSignedWith(secret: string, { headers, body }: ReceivedWebhook): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return headers['x-service-signature'] === expected;
}
