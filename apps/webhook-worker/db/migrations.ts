import { CreateWebhooks1772400000000 } from './create-webhooks';

/** Oldest first. A migration that was released is never edited; a later one corrects it. */
export const migrations = [CreateWebhooks1772400000000];
