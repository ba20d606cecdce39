import { type BrokerAddress, connectBus } from '@offizin/bus/connection';
import { Bus, type ForwardedCall } from '@offizin/bus/bus';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { Call, Operation, ReplyOf } from '@offizin/contracts/calls/operation';
import type { WireAnswer } from '@offizin/operations/serve-operation';
import { brokerMistakes } from '@offizin/runtime/process-config';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import { CallKeysSetting, CertificatesFileSetting, TextSetting } from '@offizin/runtime/config';
import { newRequestId } from '@offizin/runtime/request-id';

const CONNECT_TIMEOUT_MS = 10_000;

/** Where the running installation is, and the operator's rights to it. */
export interface PlatformAccess extends BrokerAddress {
  callKeys: string;
}

/**
 * Internal operations of the operator, called over the bus. They use no database, so they work wherever the broker is
 * reachable.
 */
export class Platform {
  private constructor(
    private readonly bus: Bus,
    private readonly caller: Caller,
  ) {}

  static async connect(access: PlatformAccess): Promise<Platform> {
    const connection = await withinSeconds(connectBus({ ...access, name: 'operator' }), access.natsUrl);
    const caller: Caller = {
      kind: 'platform',
      orgId: '',
      shopId: null,
      actorId: 'operator',
      scopes: [],
      requestId: newRequestId(),
    };
    return new Platform(new Bus(connection, ownCallKeys('operator', access.callKeys)), caller);
  }

  async call<O extends Operation>(op: O, body: Call<O>['body']): Promise<ReplyOf<O>> {
    return this.bus.call(op, this.caller, body);
  }

  /** A call of the organization API, for an organization. Resolves with the answer of any status. */
  async forward(orgId: string, op: Operation, call: Omit<ForwardedCall, 'caller'>): Promise<WireAnswer> {
    return this.bus.forward(op, { ...call, caller: { ...this.caller, orgId } });
  }

  async close(): Promise<void> {
    await this.bus.connection.close();
  }
}

/** A process waits for its broker without a limit; a person does not. */
async function withinSeconds<Connection>(
  connecting: Promise<Connection>,
  address: string,
): Promise<Connection> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    const shown = address.replaceAll(/\/\/[^@/]*@/g, '//');
    const advice = 'Start the installation, or name its broker by NATS_URL; offizin doctor reports more.';
    const refuse = (): void => reject(new Error(`The broker at ${shown} does not answer. ${advice}`));
    timer = setTimeout(refuse, CONNECT_TIMEOUT_MS);
  });
  return Promise.race([connecting, tooLong]).finally(() => clearTimeout(timer));
}

/** Connects, works, and lets go. */
export type UsePlatform = (work: (platform: Platform) => Promise<void>) => Promise<void>;
/** The same, and answers with what the work gives; of a list, a person sees the named columns. */
export type WithPlatform = (
  work: (platform: Platform) => Promise<object>,
  columns?: readonly string[],
) => Promise<void>;

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
