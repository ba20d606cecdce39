import type { WelcomeTexts } from './welcome.de';

export const welcome: WelcomeTexts = {
  invitation: 'Welcome to Offizin',
  reset: 'New password',
  invitationFor: (organization) => `You have been invited to join ${organization}.`,
  resetFor: (organization) => `For your account at ${organization}.`,
  name: 'Your name',
  newPassword: 'New password',
  passwordHint: (least) => `At least ${least} characters. Several words are easy to remember.`,
  tooShort: (least) => `The password has fewer than ${least} characters.`,
  submit: 'Set password and sign in',
  gone: 'This link is no longer valid',
  goneWhy: 'It has expired or has already been used. Please ask for a new one.',
  toSignIn: 'Go to sign-in',
};
