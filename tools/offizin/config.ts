import { TextSetting } from '@offizin/runtime/config';
import type { PlatformAccess } from './platform';

/** How the command line reaches an installation that it does not find by a data folder. */
export class OperatorConfig implements PlatformAccess {
  @TextSetting('NATS_URL', { description: 'Broker of the installation' })
  readonly natsUrl!: string;

  @TextSetting('NATS_USER', { default: '', minLength: 0, description: 'User of the operator at the broker' })
  readonly natsUser!: string;

  @TextSetting('NATS_PASSWORD', { default: '', minLength: 0, secret: true, description: 'Its password' })
  readonly natsPassword!: string;

  @TextSetting('INTERNAL_TOKEN_SECRET', {
    secret: true,
    minLength: 32,
    description: 'Secret under which the edges sign who is calling',
  })
  readonly internalTokenSecret!: string;
}
