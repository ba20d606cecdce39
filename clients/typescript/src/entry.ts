/** What the package offers by name. */
import { everyItem, Offizin, type OffizinOptions, value } from './client';
import { OffizinConnector, type OffizinConnectorOptions, type OrderRequestInput } from './connector';
import {
  Conflict,
  Connection,
  Forbidden,
  InvalidTransition,
  NotFound,
  OffizinError,
  OutOfStock,
  PreconditionFailed,
  RateLimited,
  ServerError,
  Timeout,
  Unauthorized,
  Validation,
} from './errors';
import type { components } from './generated/api';
import type { Items } from './items';
import type { CallOptions } from './resource-types';
import type { Attempt, RetryOptions } from './transport';
import {
  type CallbackEvent,
  verifyCallback,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from './verify-webhook';

export { everyItem, Offizin, OffizinConnector, value };
export { verifyCallback, verifyWebhook, WebhookVerificationError };
export {
  Conflict,
  Connection,
  Forbidden,
  InvalidTransition,
  NotFound,
  OffizinError,
  OutOfStock,
  PreconditionFailed,
  RateLimited,
  ServerError,
  Timeout,
  Unauthorized,
  Validation,
};
export type { Attempt, CallOptions, Items, OffizinConnectorOptions, OffizinOptions, RetryOptions };
export type { CallbackEvent, OrderRequestInput, WebhookEvent };
/** The types of the bodies: `components['schemas']['OrderDetail']`. */
export type { components };
