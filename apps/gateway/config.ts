import { IntegerSetting, PortSetting, ProcessConfig, TextSetting, UrlSetting } from '@offizin/runtime/config';

export class GatewayConfig extends ProcessConfig {
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
    description: 'Address under which callers reach the gateway; issuer of the tokens',
  })
  readonly publicBaseUrl!: string;

  @TextSetting('TOKEN_SIGNING_KEYS', {
    secret: true,
    description:
      'JWK set of one or two private ES256 keys; the first signs, all verify, so rotation drops no caller',
  })
  readonly tokenSigningKeys!: string;

  @TextSetting('TOKEN_AUDIENCE', {
    default: 'offizin-organization-api',
    description: 'Audience of the tokens',
  })
  readonly tokenAudience!: string;

  @IntegerSetting('TOKEN_LIFETIME_SECONDS', {
    default: '3600',
    minimum: 60,
    maximum: 86_400,
    description: 'Lifetime of an access token',
  })
  readonly tokenLifetimeSeconds!: number;
}
