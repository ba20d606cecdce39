import type { SignOnTexts } from './sign-on.de';

/** British English. */
export const signOn: SignOnTexts = {
  go: 'Sign in with your organization’s account',
  again: 'Sign in again with the provider',
  refusals: {
    refused:
      'The provider did not sign you in, or no active account here has your e-mail address. An owner can help.',
    too_old: 'Signing in took too long, or was started again. Please try once more.',
    unavailable: 'The provider is not responding. Please try later, or use your password.',
  },
  title: 'Sign-in provider',
  what: 'Your staff sign in with an account they already have (OpenID Connect). Passwords still work.',
  who: 'Only people listed under Staff can sign in, with the same e-mail address, verified by the provider.',
  forProvider: 'For the provider and the staff',
  redirect: 'Redirect address, for the provider',
  link: 'Sign-in link, for the staff',
  provider: 'Provider',
  issuer: 'Address of the provider (issuer)',
  issuerHint: 'Exactly as the provider names itself. It is asked when you save.',
  issuerRefused: (message) => `This address does not work. The server says: ${message}`,
  clientId: 'Client ID',
  noClientId: 'The server does not accept this client ID.',
  secret: 'Client secret',
  secretStored: 'Stored. Leave it empty to keep it.',
  secretHint: 'Never shown again.',
  needsSecret: 'A new provider needs its own client secret.',
  changed: (who, when) => `Last changed by ${who} on ${when}`,
  save: 'Save',
  saved: 'Provider saved.',
  conflict: 'Somebody has changed the provider in the meantime. Your changes are not saved.',
  reload: 'Load the new values and discard my changes',
  remove: 'Remove the provider',
  removeTitle: 'Remove the provider?',
  removeText: 'Nobody can sign in through it any more. Open sessions stay. Passwords still work.',
  removed: 'Provider removed.',
};
