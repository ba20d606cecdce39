import { EdgeProcessConfig } from '@offizin/http-edge/edge-config';
import { IntegerSetting, PortSetting, TextSetting, UrlSetting } from '@offizin/runtime/config';
import { MAX_TOKEN_LIFETIME_SECONDS } from './tokens/access-token';

export class GatewayConfig extends EdgeProcessConfig {
  @PortSetting('GATEWAY_PORT', { default: '3000', description: 'Public port of the organization API' })
  readonly port!: number;

  @UrlSetting('ORDER_CORE_URL', {
    protocols: ['http:', 'https:'],
    description: "order-core's internal HTTP port",
  })
  readonly orderCoreUrl!: string;

  @UrlSetting('PUBLIC_BASE_URL', {
    protocols: ['http:', 'https:'],
    default: 'http://127.0.0.1:3000',
    description: 'URL under which callers reach the gateway. It is also the issuer of the tokens.',
  })
  readonly publicBaseUrl!: string;

  @TextSetting('TOKEN_SIGNING_KEYS', {
    secret: true,
    description:
      'JWK set of one or two private ES256 keys. The first key signs and both verify, so a rotation rejects no valid token.',
  })
  readonly tokenSigningKeys!: string;

  @TextSetting('TOKEN_AUDIENCE', {
    default: 'offizin-organization-api',
    description: 'Audience of the access tokens',
  })
  readonly tokenAudience!: string;

  @IntegerSetting('TOKEN_LIFETIME_SECONDS', {
    default: '3600',
    minimum: 60,
    maximum: MAX_TOKEN_LIFETIME_SECONDS,
    description: 'Lifetime of an access token',
  })
  readonly tokenLifetimeSeconds!: number;

  @IntegerSetting('API_RATE_PER_SECOND', {
    default: '100',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Requests per second that one API key may send to the organization API, over all replicas together',
  })
  readonly apiRatePerSecond!: number;

  @IntegerSetting('API_RATE_BURST', {
    default: '200',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests that one API key may send in one burst after a pause',
  })
  readonly apiRateBurst!: number;

  @IntegerSetting('TOKENS_PER_KEY_PER_MINUTE', {
    default: '10',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Limit of token requests per minute with one API key',
  })
  readonly tokensPerKeyPerMinute!: number;

  @IntegerSetting('TOKENS_PER_ADDRESS_PER_MINUTE', {
    default: '30',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Limit of token requests per minute from one address (IPv6: from one /64)',
  })
  readonly tokensPerAddressPerMinute!: number;

  @IntegerSetting('SIGN_INS_PER_ADDRESS_PER_MINUTE', {
    default: '20',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Limit of sign-ins to the console per minute from one address (IPv6: from one /64)',
  })
  readonly signInsPerAddressPerMinute!: number;

  @IntegerSetting('LIVE_STREAMS', {
    default: '1000',
    minimum: 0,
    maximum: 100_000,
    description:
      'Limit of live streams of the console, per process; a quarter of them per organization. Beyond it the console asks every 30 s. Each stream counts in MAX_CONNECTIONS.',
  })
  readonly liveStreams!: number;
}
