import { type Client, custom, errors, generators, Issuer, type IssuerMetadata } from 'openid-client';
import { type GuardedAgentOptions, GuardedSockets } from '@offizin/egress/guarded-agent';
import { decodedBody } from '@offizin/egress/decoded-body';
import { Egress } from '@offizin/egress/send';
import { checkTargetUrl, type TargetPolicy } from '@offizin/egress/address-policy';
import type { Claims, Proofs } from './sign-on';

/** Of one request. */
const TIMEOUT_MS = 2_000;
/** Of all requests for one answer: description, token, keys, person. Shorter than an operation may take (4.5 s). */
const TOTAL_MS = 3_500;
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Descriptions and keys of a provider change rarely; a rotated key is fetched when a token names it. */
const REMEMBER_MS = 10 * 60_000;
const NOTHING = Buffer.alloc(0);
const MAX_REMEMBERED = 1_000;
const CLOCK_SKEW_SECONDS = 30;
const SCOPE = 'openid email';
const SIGNATURES = ['RS256', 'ES256', 'PS256', 'EdDSA'] as const;

export interface ProviderClient {
  issuer: string;
  client_id: string;
  client_secret: string;
}

/** The provider did not answer, or not as a provider; `message` is for the owner who sets it up. */
export class ProviderFailure extends Error {}
/** The provider refused, or its answer does not hold. */
export class ProviderRefused extends Error {}

interface Answer {
  code: string | undefined;
  state: string | undefined;
  iss: string | undefined;
  error: string | undefined;
}

/** Speaks OpenID Connect with the providers of organizations, through the egress guard. */
export class Providers {
  private readonly sockets: GuardedSockets;
  private readonly remembered = new Map<string, { issuer: Promise<Issuer>; untilMs: number }>();

  constructor(
    private readonly egress: Egress,
    private readonly policy: TargetPolicy & GuardedAgentOptions,
  ) {
    const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
    this.sockets = new GuardedSockets(policy, limits);
  }

  /** Throws ProviderFailure. `isNew` asks the provider again. */
  async discover(address: string, isNew = false): Promise<Issuer> {
    const known = this.remembered.get(address);
    if (!isNew && known && known.untilMs > performance.now()) return known.issuer;
    const issuer = this.read(address);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(address, { issuer, untilMs: performance.now() + REMEMBER_MS });
    issuer.catch(() => this.remembered.delete(address));
    return issuer;
  }

  /** Where the browser goes. Throws ProviderFailure. */
  async authorizationUrl(
    given: ProviderClient,
    redirectUri: string,
    { state, nonce, verifier }: Proofs,
  ): Promise<string> {
    const client = clientOf(await this.discover(given.issuer), given, redirectUri);
    return client.authorizationUrl({
      scope: SCOPE,
      state,
      nonce,
      code_challenge: generators.codeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** The provider's claims about the person. Throws ProviderFailure and ProviderRefused. */
  async claims(given: ProviderClient, redirectUri: string, proofs: Proofs, answer: Answer): Promise<Claims> {
    return withinTotal(this.askClaims(given, redirectUri, proofs, answer));
  }

  private async askClaims(
    given: ProviderClient,
    redirectUri: string,
    { state, nonce, verifier }: Proofs,
    answer: Answer,
  ): Promise<Claims> {
    const client = clientOf(await this.discover(given.issuer), given, redirectUri);
    client[custom.http_options] = (url) => this.options(url);
    const checks = { state, nonce, code_verifier: verifier, response_type: 'code' };
    try {
      const tokens = await client.callback(redirectUri, defined({ ...answer }), checks);
      const claims = tokens.claims();
      if (claims.email !== undefined || !tokens.access_token) return claims;
      // Many providers give the address only there. The library compares the subjects.
      return await client.userinfo(tokens);
    } catch (error) {
      throw isRefusal(error)
        ? new ProviderRefused(error.message)
        : new ProviderFailure('no answer', { cause: error });
    }
  }

  private async read(address: string): Promise<Issuer> {
    const url = `${address.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const description = await this.description(url);
    if (description.issuer !== address)
      throw new ProviderFailure(`names itself ${shown(description.issuer)}: give that address`);
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
      const endpoint = description[name];
      if (typeof endpoint !== 'string' || !checkTargetUrl(endpoint, this.policy).ok)
        throw new ProviderFailure(`describes no ${name} that may be called`);
    }
    const issuer = new Issuer(description);
    issuer[custom.http_options] = (called) => this.options(called);
    return issuer;
  }

  private async description(url: string): Promise<IssuerMetadata> {
    const answer = await this.egress
      .send({
        url,
        method: 'GET',
        headers: { accept: 'application/json' },
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
      })
      .catch((error: unknown) => {
        throw new ProviderFailure(`cannot be reached: ${error instanceof Error ? error.message : ''}`);
      });
    if (answer.status !== 200 || answer.truncated)
      throw new ProviderFailure(`answered ${answer.status} at /.well-known/openid-configuration`);
    const body = await decodedBody(answer, MAX_RESPONSE_BYTES).catch(() => NOTHING);
    const read = parsed(body.toString('utf8'));
    if (read) return read;
    throw new ProviderFailure('does not describe itself as an OpenID Connect provider');
  }

  private options(url: URL) {
    return { agent: this.sockets.agentFor(url), timeout: TIMEOUT_MS };
  }
}

function clientOf(issuer: Issuer, given: ProviderClient, redirectUri: string): Client {
  const methods = listOf(issuer.metadata['token_endpoint_auth_methods_supported']);
  const algorithms = listOf(issuer.metadata['id_token_signing_alg_values_supported']);
  const isPost = methods.length > 0 && !methods.includes('client_secret_basic');
  const client = new issuer.Client({
    client_id: given.client_id,
    client_secret: given.client_secret,
    redirect_uris: [redirectUri],
    response_types: ['code'],
    token_endpoint_auth_method: isPost ? 'client_secret_post' : 'client_secret_basic',
    id_token_signed_response_alg: SIGNATURES.find((name) => algorithms.includes(name)) ?? 'RS256',
  });
  client[custom.clock_tolerance] = CLOCK_SKEW_SECONDS;
  return client;
}

/** An answer that comes later is dropped. Rejects with ProviderFailure. */
async function withinTotal<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProviderFailure(`no answer within ${TOTAL_MS} ms`)), TOTAL_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Of the answer itself, not of the way to the provider. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof errors.OPError) return (error.response?.statusCode ?? 400) < 500;
  return error instanceof errors.RPError && !error.message.startsWith('outgoing request timed out');
}

function parsed(text: string): IssuerMetadata | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && 'issuer' in read ? (read as IssuerMetadata) : null;
  } catch {
    return null;
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : 'nothing';
}
