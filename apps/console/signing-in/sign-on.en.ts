import type { SignOnTexts } from './sign-on.de';

/** British English. */
export const signOn: SignOnTexts = {
  go: "Sign in with your organization's account",
  again: 'Sign in again at the provider',
  refusals: {
    refused:
      'The provider has not signed you in, or no active account here has your e-mail address. An owner can help.',
    too_old: 'Signing in took too long, or was begun again. Please try once more.',
    unavailable: 'The provider does not answer at the moment. Please try later, or use the password.',
  },
  title: 'Sign in at a provider',
  what: 'Your staff sign in with the account that they have already (OpenID Connect). Passwords still count.',
  who: 'Only people listed in Staff get in: with the same e-mail address, verified by the provider.',
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
  conflict: 'Somebody has changed the provider meanwhile. Your changes are not saved.',
  reload: 'Load the new state and discard my changes',
  remove: 'Remove the provider',
  removeTitle: 'Remove the provider?',
  removeText: 'Nobody signs in through it any more. Open sessions stay. Passwords still count.',
  removed: 'Provider removed.',
};
