interface SignInSearch {
  /** The page to open then. */
  to?: string;
  /** Id of an organization whose people sign in at its provider. */
  org?: string;
  /** Why the last sign-on at a provider failed. */
  refused?: string;
}

/** `to` is an address of the console only: a link must not lead elsewhere. */
export function readSignInSearch({ to, org, refused }: Record<string, unknown>): SignInSearch {
  return {
    ...(typeof to === 'string' && /^\/console\/(?!\/)/.test(to) && { to }),
    ...(typeof org === 'string' && org !== '' && { org }),
    ...(typeof refused === 'string' && { refused }),
  };
}
