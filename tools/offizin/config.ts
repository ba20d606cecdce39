import { brokerMistakes } from '@offizin/runtime/broker-mistakes';
import { CallKeysSetting, CertificatesFileSetting, TextSetting } from '@offizin/runtime/config';
import type { PlatformAccess } from './platform';

/** How the command line reaches an installation that it does not find by a data folder. */
export class OperatorConfig implements PlatformAccess {
  @TextSetting('NATS_URL', { description: 'Broker of the installation' })
  readonly natsUrl!: string;

  @TextSetting('NATS_USER', { default: '', minLength: 0, description: 'User of the operator at the broker' })
  readonly natsUser!: string;

  @TextSetting('NATS_PASSWORD', {
    default: '',
    minLength: 0,
    secret: true,
    description: 'Password of NATS_USER',
  })
  readonly natsPassword!: string;

  @CertificatesFileSetting('NATS_TLS_CA_FILE', { description: 'Certificate authority of the broker' })
  readonly natsTlsCaFile!: string;

  @CallKeysSetting('CALL_KEYS', {
    description:
      "The operator's keys for calls to the services, as `node tools/bootstrap.mjs deploy` writes them",
  })
  readonly callKeys!: string;

  mistakes(): string[] {
    return brokerMistakes(this);
  }
}
