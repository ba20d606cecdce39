const TOKEN_FORM = /^[\w-]{43}$/;

/** The token in the cookie of this name. Null without one, with more than one, and when it has not the form of a token. */
export function onlyCookie(header: string | undefined, name: string): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token, ...others] = values;
  return token !== undefined && others.length === 0 && TOKEN_FORM.test(token) ? token : null;
}
