import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const OAUTH_LIBRARIES = ['oauth4webapi', 'openid-client', 'simple-oauth2'] as const;
export const OAUTH_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

export interface OAuthAsk {
  library: (typeof OAUTH_LIBRARIES)[number];
  method: (typeof OAUTH_METHODS)[number];
  issuer: string;
  clientId: string;
  secret: string;
  scope?: string;
  /** `client_credentials` unless given. */
  grantType?: string;
}

export interface OAuthOutcome {
  access_token?: string;
  scope?: string;
  expires_in?: number;
  error?: string;
  error_description?: string;
}

/** Finds the token endpoint by the issuer's metadata and asks for a token, with a stock library. */
export async function askWithLibrary(ask: OAuthAsk): Promise<OAuthOutcome> {
  const script = join(__dirname, 'oauth-libraries.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(ask)]);
  return JSON.parse(stdout) as OAuthOutcome;
}
