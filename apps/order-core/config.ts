import {
  ChoiceSetting,
  DecimalSetting,
  FlagSetting,
  IntegerSetting,
  KeysSetting,
  PortSetting,
  TextSetting,
  UrlSetting,
} from '@offizin/runtime/config';
import { ServiceConfig } from '@offizin/runtime/process-config';
import { STORE_MODES, storeMistakes, type StoreMode } from './documents/documents/document-store-settings';

export class OrderCoreConfig extends ServiceConfig {
  @PortSetting('ORDER_CORE_PORT', {
    default: '3010',
    description: 'Internal HTTP port for bodies with documents; only the edges call it',
  })
  readonly port!: number;

  @KeysSetting('MASTER_KEY', {
    description:
      'Key that encrypts the data key of each organization: 32 bytes in base64. Without it, all documents are unreadable. During a rotation, two separated by a comma: the first encrypts, both decrypt.',
  })
  readonly masterKeys!: Buffer[];

  @TextSetting('PROOF_SIGNING_KEYS', {
    secret: true,
    description:
      'JWK set of Ed25519 keys. The first one is private and signs proofs of decisions. All are published: keep those of before, without their private part `d`, so that earlier proofs can be checked.',
  })
  readonly proofSigningKeys!: string;

  @UrlSetting('DATABASE_READ_URL', {
    protocols: ['postgres:', 'postgresql:'],
    default: '',
    secret: true,
    description:
      'A standby of DATABASE_URL for lists, searches, reports and CSV files, used while it has every change',
  })
  readonly databaseReadUrl!: string;

  @UrlSetting('CONSOLE_BASE_URL', {
    protocols: ['http:', 'https:'],
    default: 'http://127.0.0.1:3000',
    description: 'URL of the console; links begin with it, and passkeys belong to its host name',
  })
  readonly consoleBaseUrl!: string;

  @IntegerSetting('SESSION_IDLE_MINUTES', {
    default: '30',
    minimum: 5,
    maximum: 1_440,
    description: 'Time without a call after which a session of the console ends',
  })
  readonly sessionIdleMinutes!: number;

  @IntegerSetting('SESSION_HOURS', {
    default: '12',
    minimum: 1,
    maximum: 168,
    description: 'Time after which a session of the console always ends',
  })
  readonly sessionHours!: number;

  @IntegerSetting('REQUEST_EXPIRY_DAYS', {
    default: '28',
    minimum: 1,
    maximum: 365,
    description: 'Age at which an undecided order request expires',
  })
  readonly requestExpiryDays!: number;

  @UrlSetting('DOCUMENT_STORE_URL', {
    protocols: ['http:', 'https:'],
    default: '',
    description:
      'Bucket to which documents of decided requests move, with the API of S3: `https://<endpoint>/<bucket>` or `https://<bucket>.<endpoint>`, with a folder if wanted',
  })
  readonly documentStoreUrl!: string;

  @TextSetting('DOCUMENT_STORE_REGION', {
    default: 'us-east-1',
    description: 'Region of the bucket, as its signatures name it',
  })
  readonly documentStoreRegion!: string;

  @TextSetting('DOCUMENT_STORE_ACCESS_KEY_ID', {
    default: '',
    minLength: 0,
    secret: true,
    description: 'Access key of the bucket; it needs to get, put and delete objects',
  })
  readonly documentStoreAccessKeyId!: string;

  @TextSetting('DOCUMENT_STORE_SECRET_ACCESS_KEY', {
    default: '',
    minLength: 0,
    secret: true,
    description: 'Secret of the access key',
  })
  readonly documentStoreSecretAccessKey!: string;

  @ChoiceSetting('DOCUMENT_STORE_MODE', {
    choices: STORE_MODES,
    default: 'move',
    description:
      'move: documents move to the bucket; keep: none moves, those in the bucket are read; return: all come back to the database',
  })
  readonly documentStoreMode!: StoreMode;

  @IntegerSetting('DOCUMENT_STORE_AFTER_DAYS', {
    default: '30',
    minimum: 0,
    maximum: 3_650,
    description: 'Time after the decision of a request until its documents move to the bucket',
  })
  readonly documentStoreAfterDays!: number;

  @IntegerSetting('ERASURE_VACUUM_HOUR', {
    default: '2',
    minimum: 0,
    maximum: 24,
    description:
      'Hour of the day (UTC) in which the tables that an erasure touched are vacuumed; 24: soon after each erasure',
  })
  readonly erasureVacuumHour!: number;

  @TextSetting('ERASURE_LEDGER_FILE', {
    default: '',
    minLength: 0,
    description:
      'After a restore: file with the erasures made after the backup; they are applied before anything is served',
  })
  readonly erasureLedgerFile!: string;

  @DecimalSetting('SERVICE_FEE_BASE_EUR', {
    default: '0',
    maximum: 1_000_000,
    description: 'Service fee of an organization: EUR per month; for the report only, nothing is charged',
  })
  readonly serviceFeeBaseEur!: string;

  @DecimalSetting('SERVICE_FEE_PER_ORDER_EUR', {
    default: '0',
    maximum: 10_000,
    description: 'Service fee: EUR per order that was not cancelled',
  })
  readonly serviceFeePerOrderEur!: string;

  @DecimalSetting('SERVICE_FEE_PER_CENT', {
    default: '0',
    maximum: 100,
    description: 'Service fee: per cent of the revenue',
  })
  readonly serviceFeePerCent!: string;

  @FlagSetting('ALLOW_HISTORY_IMPORT', {
    default: 'false',
    description:
      'Let the operator write past orders and order requests with their dates; for a demo or a move from another system',
  })
  readonly allowHistoryImport!: boolean;

  @FlagSetting('EGRESS_ALLOW_LOOPBACK', {
    default: 'false',
    description: 'Allow outbound requests to loopback addresses; for development only',
  })
  readonly egressAllowLoopback!: boolean;

  @FlagSetting('EGRESS_ALLOW_HTTP', {
    default: 'false',
    description: 'Allow outbound requests without TLS; for development only',
  })
  readonly egressAllowHttp!: boolean;

  override mistakes(): string[] {
    return [...super.mistakes(), ...storeMistakes(this)];
  }
}
