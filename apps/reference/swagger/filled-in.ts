import {
  type DescribedParameter,
  type Description,
  type FilledIn,
  withShop,
} from '@offizin/openapi/samples/described-call';
import { SCHEMAS, WEBHOOK_EVENTS } from '../route';

/** What of a part is read here; Swagger UI reads the rest. */
interface Part extends Pick<Description, 'paths'> {
  components: { parameters?: Description['components']['parameters'] };
}

/**
 * The part of the description that a view shows, with what its parts refer to. Swagger UI goes through all that it is
 * given whenever a call is opened, which takes seconds for the whole.
 */
export function describedPart(whole: Description & { webhooks?: object }, noun: string): Part {
  if (noun === SCHEMAS) return Object.assign({ ...whole }, { paths: {}, webhooks: {} });
  const paths = Object.entries(whole.paths)
    .map(([path, methods]) => [path, ofNoun(methods, noun)] as const)
    .filter(([, methods]) => Object.keys(methods).length > 0);
  const shown = {
    paths: Object.fromEntries(paths),
    webhooks: noun === WEBHOOK_EVENTS ? whole.webhooks : {},
  };
  const components = usedComponents(whole, shown);
  return Object.assign({ ...whole }, shown, { components });
}

function ofNoun(methods: Description['paths'][string], noun: string): Description['paths'][string] {
  return Object.fromEntries(Object.entries(methods).filter(([, { tags }]) => tags[0] === noun));
}

type Components = Record<string, Record<string, unknown>>;

function usedComponents({ components }: Description, shown: object): Components {
  const all: Components = components;
  const used: Components = { securitySchemes: all['securitySchemes'] ?? {} };
  const waiting = [JSON.stringify(shown)];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop())
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const part = all[kind]?.[name];
      if (part === undefined || used[kind]?.[name] !== undefined) continue;
      (used[kind] ??= {})[name] = part;
      waiting.push(JSON.stringify(part));
    }
  return used;
}

/** A body in an open call, which the reader may have changed, with the chosen shop; undefined where it can stay as it is. */
export function filledInBody(body: unknown, filledIn: FilledIn): string | undefined {
  if (typeof body !== 'string' || filledIn.shopId === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    const filled = withShop(parsed, filledIn);
    return JSON.stringify(filled) === JSON.stringify(parsed) ? undefined : JSON.stringify(filled, null, 2);
  } catch {
    return undefined;
  }
}

/**
 * The description with the reader's organization and shop as the examples that Swagger UI fills its fields with. Others
 * are shown only: filled in, they would narrow every list.
 */
export function filledInDescription(part: Part, filledIn: FilledIn): Part {
  const examples: Record<string, string | undefined> = {
    orgId: filledIn.organizationId,
    shopId: filledIn.shopId,
    shop_id: filledIn.shopId,
  };
  const fill = (parameter: DescribedParameter): void => {
    const { name, required, description, example } = parameter;
    const own = required ? examples[name] : undefined;
    if (own !== undefined) parameter.example = own;
    else {
      delete parameter.example;
      parameter.description = `${description}. Example: \`${String(example)}\``;
    }
  };
  const filled = structuredClone(part);
  for (const parameter of Object.values(filled.components.parameters ?? {})) fill(parameter);
  for (const operation of Object.values(filled.paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters) if ('name' in parameter) fill(parameter);
    for (const content of Object.values(operation.requestBody?.content ?? {}))
      if (filledIn.shopId !== undefined && content.example !== undefined)
        content.example = withShop(content.example, filledIn);
  }
  return filled;
}
