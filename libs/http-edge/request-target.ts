/** An absolute target (RFC 9112, 3.2.2) needs a valid authority: the router ignores it and answers past our hooks. */
export function isTarget(url: string): boolean {
  return !/^https?:/i.test(url) || (/^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url));
}

/** The only form that guards, signatures and order-core know. */
export function originForm(url: string): string {
  const [target = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('#');
  return target.startsWith('/') || target.startsWith('*') ? target : `/${target}`;
}
