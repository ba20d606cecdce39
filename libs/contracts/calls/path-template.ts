/** A parameter in the path of an operation. */
const PARAMETER = /\{(\w+)\}/g;

export function pathParameters(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/** Replaces each parameter by what `valueOf` returns for its name; the caller encodes. */
export function fillPath(path: string, valueOf: (name: string) => string): string {
  return path.replace(PARAMETER, (_, name: string) => valueOf(name));
}

/** The path in the form of Fastify's router: `:name`. */
export function routerPath(path: string): string {
  return fillPath(path, (name) => `:${name}`);
}

/** Matches every path of the template; a parameter is one segment. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${fillPath(path.replaceAll('.', '\\.'), () => '[^/]+')}$`);
}
